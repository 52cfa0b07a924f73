import { z } from 'zod'
import {
  type ChartAnswer,
  type ChartCall,
  type ChartEvents,
  type ChartSpan,
  type FunnelChart,
  spanDays,
} from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { answerInDays, namesIn, type QueryApi } from './query-api.ts'

const PATH = '/api/query/funnels'
/** How a funnel of the list is told from a report that is known by its bookmark. */
const LISTED = /^funnel-(\d{1,15})$/
/** The window that Mixpanel gives a funnel by default. An answer doesn't tell the one that is saved. */
const WINDOW_DAYS = 7

const listSchema = z.array(z.object({ funnel_id: z.int().positive(), name: z.string() }))

const funnelSchema = z.object({
  data: z.record(
    z.string(),
    z.object({
      steps: z.array(
        z.object({
          count: z.int().min(0),
          event: z.string(),
          custom_event: z.boolean().optional(),
          /** The filter of a step. No document names it; answers have it. */
          selector: z.string().nullish(),
        }),
      ),
    }),
  ),
})

const reportSchema = z.object({
  date_range: z.object({ from_date: z.string(), to_date: z.string() }),
  series: z.object({ count: z.record(z.string(), z.object({ all: z.int().min(0) })) }),
})

const RULES = [
  'Mixpanel enters a person at the first step of these days only, and follows it past the last of them',
  'Mixpanel takes steps within two seconds for done in any order',
  "Mixpanel's people are counted after its own identity merge",
]

/** The saved funnels, by `GET /api/query/funnels/list` (docs.mixpanel.com/reference/funnels-list-saved). */
export async function listedFunnels(api: QueryApi, call: ChartCall): Promise<{ id: string; name: string }[]> {
  const funnels = await api.get(`${PATH}/list`, {}, listSchema, call)
  return funnels.map(({ funnel_id, name }) => ({ id: `funnel-${funnel_id}`, name }))
}

/** True for the id of a funnel of the list. */
export function isListedFunnel(id: string): boolean {
  return LISTED.test(id)
}

/** A funnel of the list as a chart. Throws Unanswerable for one that others can't be asked. */
export async function listedFunnel(api: QueryApi, id: string, call: ChartCall): Promise<FunnelChart> {
  const today = new Date(api.now()).toISOString().slice(0, 10)
  const steps = await stepsOf(api, id, { first: today, last: today, windowDays: WINDOW_DAYS }, call)
  return {
    kind: 'funnel',
    steps: steps.map(({ event }) => ({ event: namesIn(call).finalEvent(event), where: [] })),
    windowDays: WINDOW_DAYS,
  }
}

/**
 * How far people came. The API answers saved funnels only: those of the list by `GET /api/query/funnels`
 * (docs.mixpanel.com/reference/funnels-query) for any days and window; those known by their bookmark by `GET /api/query/insights`
 * for the days that are saved with them.
 */
export async function askFunnel(
  api: QueryApi,
  { query, report }: { readonly query: FunnelChart; readonly report: string | null },
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartAnswer> {
  if (report === null) throw new Unanswerable("Mixpanel's API answers saved funnels only")
  if (!isListedFunnel(report)) return byBookmark(api, { id: report, steps: query.steps.length }, span, call)
  const steps = await stepsOf(api, report, { ...span, windowDays: query.windowDays }, call)
  const isSame =
    steps.length === query.steps.length && steps.every((step, at) => isOf(query.steps[at]!, step.event, call))
  if (!isSame) throw new Unanswerable('the saved funnel in Mixpanel has other steps than these')
  return answerInDays(
    steps.map(({ count }, at) => ({ at: String(at + 1), by: null, value: count })),
    false,
    RULES,
  )
}

function isOf({ event, where }: ChartEvents, name: string, call: ChartCall): boolean {
  return where.length === 0 && event === namesIn(call).finalEvent(name)
}

/** The steps of a funnel in all days together. */
async function stepsOf(
  api: QueryApi,
  id: string,
  { windowDays, ...span }: ChartSpan & { readonly windowDays: number },
  call: ChartCall,
) {
  const query = {
    ...{ funnel_id: LISTED.exec(id)![1]!, from_date: span.first, to_date: span.last },
    ...{ length: String(windowDays), length_unit: 'day' },
    // One bucket: a person of two buckets would count twice.
    interval: String(spanDays(span)),
  }
  const { data } = await api.get(PATH, query, funnelSchema, call)
  const [[day, bucket] = [], ...more] = Object.entries(data)
  if (!bucket || more.length > 0)
    throw new Unanswerable(
      `Mixpanel divides these days into ${Object.keys(data).length} parts, whose people can't be added up`,
    )
  if (!day?.startsWith(span.first))
    throw new Unanswerable(
      `Mixpanel was asked for the days from ${span.first} on, and answers from ${day} on`,
    )
  assertShrinking(bucket.steps.map(({ count }) => count))
  const odd = bucket.steps.find(({ custom_event, selector }) => custom_event || selector)
  if (odd) throw new Unanswerable(`the step "${odd.event}" has a filter, or is a custom event`)
  return bucket.steps
}

/** Throws Unanswerable for steps that more people took than the step before. */
function assertShrinking(counts: readonly number[]): void {
  const grown = counts.findIndex((count, at) => at > 0 && count > counts[at - 1]!)
  if (grown > 0)
    throw new Unanswerable(`in Mixpanel's answer more people took step ${grown + 1} than the one before`)
}

/** No document says what this answer looks like for a funnel: `{series: {count: {"1. <event>": {all: people}}}}`. */
async function byBookmark(
  api: QueryApi,
  { id, steps }: { readonly id: string; readonly steps: number },
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartAnswer> {
  const { series, date_range } = await api.get('/api/query/insights', { bookmark_id: id }, reportSchema, call)
  const [first, last] = [date_range.from_date.slice(0, 10), date_range.to_date.slice(0, 10)]
  if (first !== span.first || last !== span.last)
    throw new Unanswerable(
      `the saved report is of ${first} to ${last}, and Mixpanel tells it for no other days`,
    )
  const counts = new Map(Object.entries(series.count).map(([name, { all }]) => [/^\d+/.exec(name)?.[0], all]))
  const cells = Array.from({ length: steps }, (_, step) => {
    const at = String(step + 1)
    const value = counts.get(at)
    if (value === undefined) throw new Unanswerable(`Mixpanel's answer has no step ${at}`)
    return { at, by: null, value }
  })
  if (Object.keys(series.count).length !== steps)
    throw new Unanswerable(`Mixpanel's answer has other steps than the ${steps} of the saved report`)
  assertShrinking(cells.map(({ value }) => value))
  return answerInDays(cells, false, RULES)
}
