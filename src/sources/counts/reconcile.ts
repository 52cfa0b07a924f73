import { PosthaulError } from '../../errors.ts'
import { dayText } from '../../record/time.ts'
import type { Store } from '../../store/store.ts'
import { MS_PER_DAY } from '../../units.ts'
import type { ExportState } from '../export-state.ts'
import { gunzipped } from '../gzip.ts'
import { provisional } from '../run-export.ts'
import type { Call, Report, Source } from '../source.ts'
import type { Span } from '../window.ts'
import type { CountedBy } from './counted-by.ts'
import { daysFrom, SlotTotals, spanOfDay, zoneOfDays } from './day-zone.ts'
import { counted, PartCounter } from './part-counter.ts'
import { loadCounts, OTHER_EVENTS, type PartCounts, SLOT_MS, saveCounts } from './part-counts.ts'

/** Events of a name on a day: fewer were exported than the vendor's report counts. */
export interface Shortage {
  readonly day: string
  /** Null for all events that the report was not asked about one by one. */
  readonly event: string | null
  readonly here: number
  readonly there: number
}

/** How an export compares with the vendor's own report. */
export interface Reconciled {
  /** The time zone of the days. */
  readonly zone: string
  /** Days that were compared: all of the day was exported, and nothing is added to it any more. */
  readonly days: number
  /** Days of the export that were not. */
  readonly otherDays: number
  readonly here: number
  readonly there: number
  readonly short: readonly Shortage[]
  /** Names of events that were exported and that the report does not tell apart or at all. */
  readonly untold: readonly string[]
  /** Parts whose copies could not be told apart, so that copies count here, and not there. */
  readonly uncertainParts: number
}

export interface ReconcileOptions {
  readonly source: Source
  readonly report: Report
  readonly store: Store
  readonly state: ExportState
  readonly call: Call
}

/**
 * Holds the windows of a finished export against the vendor's own counts a day and event. Throws `unavailable` when
 * there is no day that can be compared, and the vendor's errors. Reads parts again whose counts are not known.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const { report, source, state, call } = options
  const windows = source.pieces.flatMap(({ name, events }) => (events ? [{ name, ...events }] : []))
  const { names, slots, uncertainParts } = await exported(windows, options)
  const range = { start: windows[0]?.span.start ?? 0, end: windows.at(-1)?.span.end ?? 0 }
  const young = provisional(source, state)
  const usable = ({ start, end }: Span) =>
    start >= range.start &&
    end + report.settleMs <= range.end &&
    !young.some(({ events }) => events && events.span.start < end && events.span.end > start)
  const utcDay = (instant: number) => dayText(Math.floor(instant / MS_PER_DAY))
  const days = daysFrom(utcDay(range.start), utcDay(range.end - 1))
  if (!days.some((day) => usable(spanOfDay(day, 'UTC')))) throw tooYoung(report)
  const byName = [...names].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const there = await answers(
    report,
    days,
    byName.filter((name) => name !== OTHER_EVENTS),
    call,
  )
  const known = report.zone ?? zoneOfDays(totalsOf(there, days), new SlotTotals(slots), usable)
  const zone = known ?? 'UTC'
  const whole = days.filter((day) => usable(spanOfDay(day, zone)))
  if (whole.length === 0) throw tooYoung(report)
  const here = await countsOfDays(
    windows,
    whole.map((day) => spanOfDay(day, zone)),
    options,
  )
  const found = compared(here, there, whole)
  if (known === undefined && found.short.length > 0) throw unknownZone()
  return { zone, days: whole.length, otherDays: days.length - whole.length, ...found, uncertainParts }
}

interface CountedWindow {
  readonly name: string
  readonly span: Span
  readonly by: CountedBy
}

/** What the parts hold in all: events by name and by quarter of an hour. */
async function exported(windows: readonly CountedWindow[], options: ReconcileOptions) {
  const names = new Map<string, number>()
  const slots = new Map<number, number>()
  let uncertainParts = 0
  for (const window of windows) {
    const { counts, copies } = await countsOf(window, options)
    if (copies === null) uncertainParts++
    for (const [name, found] of counts) {
      for (const [slot, count] of found) {
        names.set(name, (names.get(name) ?? 0) + count)
        slots.set(slot, (slots.get(slot) ?? 0) + count)
      }
    }
  }
  return { names, slots, uncertainParts }
}

/** Events by name and day, for days of any zone. Each part's counts are read again: a year of quarters fills memory. */
async function countsOfDays(
  windows: readonly CountedWindow[],
  days: readonly Span[],
  options: ReconcileOptions,
) {
  const dayOfSlot = new Map<number, number>()
  for (const [day, { start, end }] of days.entries()) {
    for (let slot = Math.round(start / SLOT_MS); slot < Math.round(end / SLOT_MS); slot++)
      dayOfSlot.set(slot, day)
  }
  const sums = new Map<string, Float64Array>()
  for (const window of windows) {
    for (const [name, slots] of (await countsOf(window, options)).counts) {
      const sum = sums.get(name) ?? new Float64Array(days.length)
      sums.set(name, sum)
      for (const [slot, count] of slots) {
        const day = dayOfSlot.get(slot)
        if (day !== undefined) sum[day]! += count
      }
    }
  }
  return sums
}

/** A part's counts, from beside it or else from the part itself. */
async function countsOf(
  { name, by }: CountedWindow,
  { store, state, call }: ReconcileOptions,
): Promise<PartCounts> {
  if (call.signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  const part = state.frozen(name)!
  const known = await loadCounts(store, name, part.sha256)
  if (known) return known
  const counter = new PartCounter(by)
  for await (const _ of counted(gunzipped(store.read(part.file), store.address(part.file)), counter)) {
    if (call.signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  }
  const counts = counter.end()
  await saveCounts(store, name, part.sha256, counts)
  return counts
}

type Told = ReadonlyMap<string | null, ReadonlyMap<string, number>>

/** The report's counts by name, then by day. */
async function answers(
  report: Report,
  days: readonly string[],
  events: readonly string[],
  call: Call,
): Promise<Told> {
  const told = new Map<string | null, Map<string, number>>()
  for await (const { day, event, count } of report.ask(
    { first: days[0]!, last: days.at(-1)!, events },
    call,
  )) {
    const byDay = told.get(event) ?? new Map<string, number>()
    told.set(event, byDay.set(day, count))
  }
  return told
}

function totalsOf(there: Told, days: readonly string[]): Map<string, number> {
  return new Map(
    days.map((day) => [day, [...there.values()].reduce((sum, byDay) => sum + (byDay.get(day) ?? 0), 0)]),
  )
}

function compared(
  here: ReadonlyMap<string, Float64Array>,
  there: Told,
  whole: readonly string[],
): Pick<Reconciled, 'short' | 'untold' | 'here' | 'there'> {
  const rest = new Float64Array(whole.length)
  const untold: string[] = []
  // A name that the report has on none of the days is hidden there, or blocked.
  const told = new Set(
    [...there].filter(([, byDay]) => [...byDay.values()].some((n) => n > 0)).map(([name]) => name),
  )
  for (const [name, counts] of here) {
    if (told.has(name)) continue
    for (const [at, count] of counts.entries()) rest[at]! += count
    if (name !== OTHER_EVENTS && !there.has(null)) untold.push(name)
  }
  const short: Shortage[] = []
  const sums = { here: 0, there: 0 }
  for (const [at, day] of whole.entries()) {
    for (const [event, byDay] of there) {
      if (event !== null && !told.has(event)) continue
      const ours = event === null ? rest[at]! : (here.get(event)?.[at] ?? 0)
      const theirs = byDay.get(day) ?? 0
      sums.here += ours
      sums.there += theirs
      if (ours < theirs) short.push({ day, event, here: ours, there: theirs })
    }
  }
  return { ...sums, short, untold }
}

function tooYoung({ settleMs }: Report): PosthaulError {
  const settled = settleMs > 0 ? `, more than ${settleMs / MS_PER_DAY} days before --to` : ''
  return new PosthaulError(`no whole day was exported to which nothing is added any more${settled}`, {
    code: 'unavailable',
  })
}

function unknownZone(): PosthaulError {
  return new PosthaulError(
    "the report's days are of the project's own time zone, which an export of fewer than 5 days does not tell",
    { code: 'unavailable' },
  )
}
