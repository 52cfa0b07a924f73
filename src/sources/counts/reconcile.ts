import { PosthaulError } from '../../errors.ts'
import { dayText } from '../../record/time.ts'
import type { Store } from '../../store/store.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import type { ExportState } from '../export-state.ts'
import { provisional } from '../run-export.ts'
import type { Question, Report, Source, VendorCall } from '../source.ts'
import type { WindowSpan } from '../window.ts'
import { daysFrom, SlotTotals, spanOfDay, zoneOfDays } from './day-zone.ts'
import { ExportedCounts } from './exported-counts.ts'
import { OTHER_EVENTS } from './part-counts.ts'

/** Events of a name on a day: fewer were exported than the vendor's report counts. */
interface Shortage {
  readonly day: string
  /** Null for all events that the report was not asked about one by one. */
  readonly event: string | null
  readonly here: number
  readonly there: number
}

export interface Pair {
  here: number
  there: number
}

/** How an export compares with the vendor's own report. */
export type Reconciled = Readonly<Awaited<ReturnType<typeof reconcile>>>

interface ReconcileOptions {
  readonly source: Source
  readonly report: Report
  readonly store: Store
  readonly state: ExportState
  readonly call: VendorCall
}

/**
 * Holds the windows of a finished export against the vendor's own counts a day and event. Throws `unavailable` when
 * no day was exported whole, and the vendor's errors. Reads parts again whose counts are not known.
 */
export async function reconcile(options: ReconcileOptions) {
  const { source, report, store, state, call } = options
  const windows = source.pieces.flatMap(({ name, events }) => (events ? [{ name, ...events }] : []))
  const overlapping = source.range !== undefined
  const exported = new ExportedCounts(windows, { store, state, signal: call.signal, overlapping })
  const { names, uncertainParts } = await exported.names()
  const { start, end } = source.range ?? {
    start: windows[0]?.span.start ?? 0,
    end: windows.at(-1)?.span.end ?? 0,
  }
  const usable = usableOf({ start, end }, options)
  const exportedWhole = usableOf({ start, end: end + report.settleMs }, options)
  const days = daysFrom(utcDay(start), utcDay(end - 1))
  if (!days.some((day) => exportedWhole(spanOfDay(day, 'UTC'))))
    throw new PosthaulError('no exported day is whole and final yet', { code: 'unavailable' })
  names.delete(OTHER_EVENTS)
  const events = [...names].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const there = await answers(report, { first: utcDay(start), last: utcDay(end - 1), events }, call)
  const known = report.zone ?? (await zoneOf(there, days, exported, usable))
  const zone = known ?? 'UTC'
  const whole = days.filter((day) => usable(spanOfDay(day, zone)))
  const found = compared(await exported.days(whole.map((day) => spanOfDay(day, zone))), there, whole)
  if (known === undefined && found.short.length > 0)
    throw new PosthaulError(UNKNOWN_ZONE, { code: 'unavailable' })
  // Days of a guessed zone can lack what is in the day beside them: of a longer export they would say nothing.
  const isAsked = known !== undefined || whole.length === 0
  const last = isAsked
    ? days.filter((day) => !whole.includes(day) && exportedWhole(spanOfDay(day, zone)))
    : []
  const spans = last.map((day) => spanOfDay(day, zone))
  const arriving = last.length > 0 ? compared(await exported.days(spans), there, last).short : []
  return {
    zone,
    /** False if the report doesn't say its zone and the days are too few to tell it: they are taken for UTC. */
    isZoneKnown: known !== undefined,
    /** Days that were compared: all of the day was exported, and nothing is added to it any more. */
    days: whole.length,
    /** Days of the export that were not, or only as `lastDays`. */
    otherDays: days.length - whole.length,
    /** Whole days so near to the end that events of them may come in later windows: what they lack is in `arriving`. */
    lastDays: last.length,
    ...found,
    /** What the last days lack. */
    arriving,
    /** Parts whose copies could not be told apart, so that copies count here, and not there. */
    uncertainParts: source.range ? 0 : uncertainParts,
    /** The same of days, where several parts can hold an event: they are then told apart day by day. */
    uncertainDays: exported.uncertainDays,
  }
}

type Usable = (span: WindowSpan) => boolean

/** Whether all of a span was exported, and nothing is added to it any more. */
function usableOf(range: WindowSpan, { source, report, state }: ReconcileOptions): Usable {
  const young = provisional(source, state)
  return ({ start, end }) =>
    start >= range.start &&
    end + report.settleMs <= range.end &&
    !young.some(({ events }) => events && events.span.start < end && events.span.end > start)
}

function utcDay(instant: number): string {
  return dayText(Math.floor(instant / MS_PER_DAY))
}

/** The report's counts by name, then by day. Names that it has on no day are left out: they are hidden, or blocked. */
type Told = ReadonlyMap<string | null, ReadonlyMap<string, number>>

async function answers(report: Report, question: Question, call: VendorCall): Promise<Told> {
  const told = new Map<string | null, Map<string, number>>()
  for await (const { day, event, count } of report.ask(question, call)) {
    const byDay = told.get(event) ?? new Map<string, number>()
    told.set(event, byDay.set(day, count))
  }
  for (const [event, byDay] of told) {
    if (event !== null && ![...byDay.values()].some((count) => count > 0)) told.delete(event)
  }
  return told
}

/** The zone of the report's days, by the names that it tells: others that were exported would blur it. */
async function zoneOf(
  there: Told,
  days: readonly string[],
  exported: ExportedCounts,
  usable: Usable,
): Promise<string | undefined> {
  const named = new Map([...there].filter(([event]) => event !== null))
  const slots = await exported.slots(new Set(named.keys()))
  const totals = days.map((day): [string, number] => [
    day,
    [...named.values()].reduce((sum, byDay) => sum + (byDay.get(day) ?? 0), 0),
  ])
  return zoneOfDays(new Map(totals), new SlotTotals(slots), usable)
}

function compared(here: ReadonlyMap<string, Float64Array>, there: Told, days: readonly string[]) {
  const rest = new Float64Array(days.length)
  /** Names of events that were exported and that the report does not tell apart or at all. */
  const untold: string[] = []
  for (const [name, counts] of here) {
    if (there.has(name)) continue
    for (const [at, count] of counts.entries()) rest[at]! += count
    if (name !== OTHER_EVENTS && !there.has(null)) untold.push(name)
  }
  const short: Shortage[] = []
  const sums = { here: 0, there: 0 }
  /** All days that were compared, and all names over these days; null for what the report does not tell apart. */
  const byDay = new Map<string, Pair>()
  const byName = new Map<string | null, Pair>()
  for (const [at, day] of days.entries()) {
    const ofDay = { here: 0, there: 0 }
    byDay.set(day, ofDay)
    for (const [event, byDay] of there) {
      const ours = event === null ? rest[at]! : (here.get(event)?.[at] ?? 0)
      const theirs = byDay.get(day) ?? 0
      const ofName = byName.get(event) ?? { here: 0, there: 0 }
      byName.set(event, ofName)
      for (const sum of [sums, ofDay, ofName]) {
        sum.here += ours
        sum.there += theirs
      }
      if (ours < theirs) short.push({ day, event, here: ours, there: theirs })
    }
  }
  return { ...sums, short, untold, byDay, byName }
}

const UNKNOWN_ZONE =
  "the report counts days in the project's own time zone, which an export of fewer than 5 days doesn't show"
