import { z } from 'zod'
import type { Chart, ChartCell, ChartQuery, ChartSpan, SavedReport, SeriesChart } from '../../charts/index.ts'
import { MS_PER_DAY } from '../../text/index.ts'
import { askReport } from '../answer-bytes.ts'
import { Unanswerable } from '../unanswerable.ts'
import { type Expected, VendorError } from '../vendor-client.ts'
import { askingFor, type Dashboard } from './asked-dashboard.ts'
import { ANY_EVENT, labelSchema, labelText } from './event-segmentation.ts'
import { seriesCells } from './event-series.ts'
import { funnelCells } from './user-funnel.ts'

/** The document doesn't say what a saved chart costs: it depends on its days. This is a year of one event. */
const COST = 365
/** The window of a funnel that was given no other. */
const WINDOW_DAYS = 30

/** How any event is called. */
const ANY_LABELS: ReadonlySet<string> = new Set([ANY_EVENT, '[Amplitude] Any Event'])

const point = z.union([z.number(), z.object({ value: z.number() }).transform(({ value }) => value)])
const seriesSchema = z.object({
  series: z.array(z.array(point)).min(1),
  seriesLabels: z.array(labelSchema),
  xValues: z.array(z.iso.date()).min(3),
})
const funnelSchema = z
  .array(
    z.object({
      cumulativeRaw: z.array(z.int()).min(2),
      events: z.array(z.string()),
      dayFunnels: z.object({ xValues: z.array(z.iso.date()).min(1) }),
    }),
  )
  .length(1)

/**
 * A saved chart, by `GET /api/3/chart/<id>/query`. Its answer has numbers and names, but neither what was counted nor filters or
 * windows. So what the names seem to ask is asked, of the same days, and is the chart only if it gives the same numbers.
 */
export async function savedChart(dashboard: Dashboard, id: string): Promise<SavedReport> {
  const asking = { ...askingFor(dashboard, COST), expected: noSuchChart(id) }
  const path = `/api/3/chart/${encodeURIComponent(id)}/query`
  const { data } = await askReport(dashboard.client, path, z.object({ data: z.unknown() }), asking)
  const series = seriesSchema.safeParse(data)
  const funnel = funnelSchema.safeParse(data)
  if (series.success) return reportOf(id, 'segmentation', await seriesQueries(dashboard, series.data))
  if (funnel.success) return reportOf(id, 'funnel', await funnelQueries(dashboard, funnel.data[0]!))
  return { id, name: `chart ${id}`, kind: 'chart', charts: [], why: 'it is no series of days and no funnel' }
}

function reportOf(id: string, kind: string, queries: readonly ChartQuery[]): SavedReport {
  const charts = queries.map((query, at): Chart => {
    const part = queries.length === 1 ? '' : `, series ${at + 1}`
    return { name: `chart ${id}${part}`, query, report: id }
  })
  const why =
    "its answer doesn't tell what it counts, and its events alone give other numbers: ask for it by its parts"
  return { id, name: `chart ${id}`, kind, charts, why: charts.length > 0 ? null : why }
}

async function seriesQueries(
  dashboard: Dashboard,
  { series, seriesLabels, xValues }: z.output<typeof seriesSchema>,
): Promise<ChartQuery[]> {
  const interval = intervalOf(xValues)
  if (interval === undefined) return []
  // The last one may not be over yet.
  const [starts, last] = [xValues.slice(0, -1), Date.parse(xValues.at(-1)!) - MS_PER_DAY]
  const span = { first: starts[0]!, last: new Date(last).toISOString().slice(0, 10) }
  const queries: ChartQuery[] = []
  for (const [at, values] of series.entries()) {
    const label = labelText(seriesLabels[at])
    if (label === null) continue
    const event = ANY_LABELS.has(label) ? null : dashboard.names.finalEvent(label)
    const told = starts.map((start, i) => ({ at: start, by: null, value: values[i] ?? 0 }))
    const fitting: ChartQuery[] = []
    for (const measure of ['count', 'unique'] as const) {
      const query: SeriesChart = {
        ...{ kind: 'series', measure, interval },
        ...{ event, where: [], property: null, by: null },
      }
      if (await gives(told, () => seriesCells(dashboard, query, span))) fitting.push(query)
    }
    // Where each user did it once a day, the numbers don't tell which of the two it is.
    if (fitting.length === 1) queries.push(...fitting)
  }
  return queries
}

async function funnelQueries(
  dashboard: Dashboard,
  { cumulativeRaw, events, dayFunnels: { xValues } }: z.output<typeof funnelSchema>[number],
): Promise<ChartQuery[]> {
  const steps = events.map((event) => ({ event: dashboard.names.finalEvent(event), where: [] }))
  const query = { kind: 'funnel', steps, windowDays: WINDOW_DAYS } as const
  const span: ChartSpan = { first: xValues[0]!, last: xValues.at(-1)! }
  const told = cumulativeRaw.map((value, step) => ({ at: String(step + 1), by: null, value }))
  return (await gives(told, () => funnelCells(dashboard, query, span))) ? [query] : []
}

/** True if a question gives the numbers that a saved chart has. */
async function gives(told: readonly ChartCell[], ask: () => Promise<ChartCell[]>): Promise<boolean> {
  try {
    const values = new Map((await ask()).map(({ at, value }) => [at, value]))
    return told.every(({ at, value }) => (values.get(at) ?? 0) === value)
  } catch (error) {
    if (error instanceof Unanswerable) return false
    throw error
  }
}

function intervalOf(days: readonly string[]): 'day' | 'week' | 'month' | undefined {
  const gaps = days.slice(1).map((day, at) => (Date.parse(day) - Date.parse(days[at]!)) / MS_PER_DAY)
  if (gaps.every((gap) => gap === 1)) return 'day'
  if (gaps.every((gap) => gap === 7)) return 'week'
  return days.every((day) => day.endsWith('-01')) ? 'month' : undefined
}

const noSuchChart =
  (id: string): Expected =>
  (status, words) => {
    if (status !== 400 && status !== 404) return undefined
    const hint = "the id is the last part of the chart's address"
    return new VendorError(`Amplitude has no saved chart ${id}: ${words}`, { code: 'usage', hint })
  }
