import { z } from 'zod'
import type { Limit } from '../../http/rate-limiter.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../text/units.ts'
import { askReport } from '../answer-bytes.ts'
import { daysFrom, runsOf } from '../counts/day-zone.ts'
import type { CountedBy, DayCount, Question, Report, VendorCall } from '../source.ts'
import { type Expected, type VendorClient, VendorError } from '../vendor-client.ts'

/** Units that a project may spend in any five minutes. */
const COST_PER_5_MINUTES = 1000
/** Days of one request: three of them fit into five minutes. Daily counts are told for 365 days at most. */
const MOST_DAYS = 333

/** Any event, those that are hidden in the product too. */
const ANY_EVENT = '_all'

const segmentationSchema = z.object({
  data: z.object({ series: z.array(z.array(z.int().min(0))), xValues: z.array(z.string()) }),
})

/**
 * Amplitude drops copies when they arrive, so every record of an export counts. Updates of user and group properties
 * are no events of its reports (amplitude.com/docs/faq/limits).
 */
export const AMPLITUDE_COUNTED: CountedBy = {
  event: 'event_type',
  times: [['event_time'], ['client_event_time']],
  identity: [],
  uncounted: ['$identify', '$groupidentify'],
}

// A request costs a unit for each of its days.
const COST_PER_HOUR = 108_000
/** What one report may cost: half an hour. Names beyond it are compared together. */
const MOST_COST = 6 * COST_PER_5_MINUTES
/** Devices that were offline send events late, mostly within days. */
const SETTLE_MS = 5 * MS_PER_DAY

export function reportLimits(days: number): Limit[] {
  const cost = Math.max(1, Math.min(days, MOST_DAYS))
  return [
    { requests: Math.floor(COST_PER_5_MINUTES / cost), perMs: 5 * MS_PER_MINUTE + 5000 },
    { requests: Math.floor(COST_PER_HOUR / cost), perMs: MS_PER_HOUR + 5000 },
  ]
}

/**
 * The counts of Amplitude's Dashboard REST API, by `GET /api/2/events/segmentation` (amplitude.com/docs/apis/analytics/
 * dashboard-rest) with `m=totals` (its default counts users) and `i=1`: `{data: {series: [[…]], xValues: [<day>, …]}}`.
 *
 * - Its days are those of the project's time zone, and of the event's time. An export's windows are UTC and of the time
 *   of upload, so an event that was sent late lies in a later window: the last days are not compared.
 * - A request costs a unit for each day and event: 1,000 in five minutes and 108,000 an hour are allowed. So the
 *   most frequent names are asked for one by one, and all others together, as what is left of `_all`, any event.
 * - `_all` has the names of which nothing was exported, too. It lacks what no report has, such as event types beyond
 *   2,000, which an export has: those can hide that others are missing.
 * - An event that it can't show answers 400, and is compared with the others.
 */
export function amplitudeReport(client: VendorClient): Report {
  return {
    vendor: client.vendor,
    zone: undefined,
    settleMs: SETTLE_MS,
    ask: (question, call) => ask(client, question, call),
  }
}

async function* ask(
  client: VendorClient,
  { first, last, events }: Question,
  call: VendorCall,
): AsyncGenerator<DayCount> {
  const days = daysFrom(first, last)
  const names = events.slice(0, Math.floor(MOST_COST / days.length))
  const rest = await totals(client, ANY_EVENT, days, call)
  for (const event of names) {
    let byDay: Map<string, number>
    try {
      byDay = await totals(client, event, days, call)
    } catch (error) {
      if (error instanceof NotShown) continue
      throw error
    }
    for (const [day, count] of byDay) {
      rest.set(day, (rest.get(day) ?? 0) - count)
      yield { day, event, count }
    }
  }
  for (const [day, count] of rest) yield { day, event: null, count: Math.max(0, count) }
}

async function totals(
  client: VendorClient,
  event: string,
  days: readonly string[],
  call: VendorCall,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const expected = event === ANY_EVENT ? undefined : notShown
  for (const run of runsOf(days, MOST_DAYS)) {
    const [first, last] = [run[0]!, run.at(-1)!]
    const [start, end] = [first, last].map((day) => day.replaceAll('-', ''))
    const asked = { e: JSON.stringify({ event_type: event }), start: start!, end: end!, m: 'totals', i: '1' }
    const path = `/api/2/events/segmentation?${new URLSearchParams(asked)}`
    const { data } = await askReport(client, path, segmentationSchema, { ...call, expected })
    const starts = data.xValues.map((day) => day.slice(0, 10))
    if (data.series.some((values) => values.length !== starts.length)) {
      const message = "Amplitude's report has not a number for each of its days"
      throw new VendorError(message, { code: 'unavailable' })
    }
    const [values] = data.series
    // An answer of other days would compare with nothing, and look as if nothing were missing.
    if (event === ANY_EVENT && run.some((day) => !starts.includes(day)))
      throw new VendorError(`Amplitude's report lacks days that it was asked for: ${first} to ${last}`, {
        code: 'unavailable',
      })
    if (values === undefined)
      throw new VendorError("Amplitude's report has no counts", { code: 'unavailable' })
    for (const [at, day] of starts.entries()) counts.set(day, values[at]!)
  }
  return counts
}

class NotShown extends VendorError {}

const notShown: Expected = (status, words) => {
  return status === 400
    ? new NotShown(`Amplitude answered 400: ${words}`, { code: 'unavailable' })
    : undefined
}
