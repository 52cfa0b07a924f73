import { z } from 'zod'
import { type Asking, askReport } from '../answer-bytes.ts'
import { type VendorClient, VendorError } from '../vendor-client.ts'

/** Units that a project may spend in any five minutes; what a request costs is documented for each chart. */
export const COST_PER_5_MINUTES = 1000
/** Days of one request: three of them fit into five minutes. Daily counts are told for 365 days at most. */
export const MOST_DAYS = 333

/** Any event, those that are hidden in the product too. */
export const ANY_EVENT = '_all'

/** The value that stands for events without the property: in labels and in filters. */
export const NO_VALUE = '(none)'

/** An event as the Dashboard REST API is asked for it. */
export interface AmplitudeEvent {
  readonly event_type: string
  readonly filters?: readonly EventFilter[]
  readonly group_by?: readonly { readonly type: 'event' | 'user'; readonly value: string }[]
}

interface EventFilter {
  readonly subprop_type: 'event' | 'user'
  readonly subprop_key: string
  readonly subprop_op: 'is' | 'is not' | 'contains' | 'greater' | 'less'
  readonly subprop_value: readonly string[]
}

/** What an event is counted by. `value_avg` and `sums` are of the property that the event is grouped by. */
export type Metric = 'totals' | 'uniques' | 'sums' | 'value_avg'

interface SegmentationQuery {
  readonly event: AmplitudeEvent
  readonly metric: Metric
  /** Days, weeks or months. */
  readonly interval: 1 | 7 | 30
  /** Both included. */
  readonly first: string
  readonly last: string
}

interface SegmentationRow {
  /** The value of the property that the event is grouped by; null for an event that isn't. */
  readonly label: string | null
  /** A number for each of `starts`. */
  readonly values: readonly number[]
  /** The number of the whole span, as the product's bar chart shows it; undefined where it isn't told. */
  readonly collapsed: number | undefined
}

export interface Segmentation {
  /** The first days of the days, weeks or months. */
  readonly starts: readonly string[]
  readonly rows: readonly SegmentationRow[]
}

const text = z.union([z.string(), z.object({ label: z.string() }).transform(({ label }) => label)])
/** What a row is called: a number is the place of a segment, a text a value. */
export const labelSchema = z.union([text, z.number(), z.array(z.union([text, z.number()]))])

// What is only needed by some questions may have another form in an answer to the others.

const segmentationSchema = (number: z.ZodType<number>) =>
  z.object({
    data: z.object({
      series: z.array(z.array(number)),
      seriesLabels: z.array(labelSchema).catch([]),
      seriesCollapsed: z.array(z.array(z.object({ value: number }))).catch([]),
      xValues: z.array(z.string()),
    }),
  })
const COUNTS = segmentationSchema(z.int().min(0))
const NUMBERS = segmentationSchema(z.number())

/**
 * Asks `GET /api/2/events/segmentation` (amplitude.com/docs/apis/analytics/dashboard-rest): `{data: {series: [[…]],
 * seriesLabels, seriesCollapsed: [[{value}]], xValues: [<day>, …]}}`. Days are those of the project's time zone. Public
 * programs show two more forms of a label than the document: `[<segment>, "value"]` and `[<segment>, {label: "value"}]`.
 */
export async function segmentation(
  client: VendorClient,
  { event, metric, interval, first, last }: SegmentationQuery,
  asking: Asking,
): Promise<Segmentation> {
  const [start, end] = [first, last].map((day) => day.replaceAll('-', ''))
  const asked = { e: JSON.stringify(event), start: start!, end: end!, m: metric, i: String(interval) }
  // Group-by values, at most: the default is 100.
  const query = new URLSearchParams(event.group_by ? { ...asked, limit: '1000' } : asked)
  const schema = metric === 'totals' || metric === 'uniques' ? COUNTS : NUMBERS
  const { data } = await askReport(client, `/api/2/events/segmentation?${query}`, schema, asking)
  if (data.series.some((values) => values.length !== data.xValues.length)) {
    const message = "Amplitude's report has not a number for each of its days"
    throw new VendorError(message, { code: 'unavailable' })
  }
  const rows = data.series.map((values, at): SegmentationRow => {
    return {
      label: labelText(data.seriesLabels[at]),
      values,
      collapsed: data.seriesCollapsed[at]?.[0]?.value,
    }
  })
  return { starts: data.xValues.map((day) => day.slice(0, 10)), rows }
}

/** The value that a row is of; null for a number, which is the place of a segment. */
export function labelText(told: z.output<typeof labelSchema> | undefined): string | null {
  const last = Array.isArray(told) ? told.at(-1) : told
  return typeof last === 'string' ? last : null
}
