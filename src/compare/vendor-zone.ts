import type { Chart, ChartAnswer, NoAnswer } from '../charts/index.ts'
import { SLOT_MS, SlotTotals, spanOfDay, type WindowSpan, zoneOfDays } from '../sources/index.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../text/index.ts'
import type { ChartTables } from './chart-tables.ts'
import { texts } from './chart-view.ts'
import { RECORDS_TABLE } from './read-records.ts'

/** The time zone of a vendor's days, and how it is known. `assumed`: too few days to tell, so it is taken for UTC. */
export interface VendorZone {
  readonly zone: string
  readonly known: 'told' | 'answered' | 'fitted' | 'assumed'
  /** Of whole days with counts: how many there are, and in how many the counts are equal in this zone. Null where none were held against it. */
  readonly fit: { readonly days: number; readonly equal: number } | null
}

export type SideAnswers = ReadonlyMap<string, ChartAnswer | NoAnswer>

export interface ZoneAsked {
  readonly charts: readonly Chart[]
  readonly answers: SideAnswers
  /** Told by the user. */
  readonly zone: string | undefined
}

/** Where a vendor's counts can be looked for: a table, its columns, and the names of the events in it. */
export interface CountedTable {
  readonly table: string
  readonly name: string
  readonly instant: string
  readonly condition: string
  readonly names: (final: string) => readonly string[]
}

/** The zones of a vendor's days: for the times that events have, and for those that its records have. */
export interface VendorZones {
  readonly events: VendorZone
  readonly records: string
}

/**
 * Finds the zone of a vendor's days: as it was told, as the vendor says, or the one that its counts by day fit. Records fit
 * better than events, of which some are left out.
 *
 * Some vendors store the project's wall clock. UTC fits the times of such records, whatever zone the project has; the mapping
 * moves the events to their true times, so that these are looked at for themselves.
 */
export async function vendorZones(
  tables: ChartTables,
  asked: ZoneAsked,
  { events, records }: { readonly events: CountedTable; readonly records: CountedTable | undefined },
): Promise<VendorZones> {
  const days = dayCounts(asked)
  const ofRecords = records && (await fittedZone(tables, days, records))
  const isMoved = records !== undefined && (await areMoved(tables))
  const ofEvents = ofRecords && !isMoved ? ofRecords : await fittedZone(tables, days, events)
  const named = namedZone(asked)
  const zone: VendorZone = named
    ? { ...named, fit: ofEvents?.zone === named.zone ? ofEvents.fit : null }
    : ofEvents
      ? { ...ofEvents, known: 'fitted' }
      : { zone: 'UTC', known: 'assumed', fit: null }
  return { events: zone, records: ofRecords && (isMoved || !named) ? ofRecords.zone : zone.zone }
}

function namedZone({ zone, answers }: ZoneAsked): Pick<VendorZone, 'zone' | 'known'> | undefined {
  if (zone !== undefined) return { zone, known: 'told' }
  for (const answer of answers.values())
    if ('zone' in answer && answer.zone !== null) return { zone: answer.zone, known: 'answered' }
  return undefined
}

/** True if the mapping gave most events another time than their records have, by more than half a minute. */
async function areMoved(tables: ChartTables): Promise<boolean> {
  const moved = `abs(vinstant - instant) > ${30 * MICROS_PER_SECOND}`
  const [[count, all] = []] = await tables.rows(
    `SELECT count(*) FILTER (${moved}), count(*) FROM ${RECORDS_TABLE} WHERE fate = 'event' AND counted`,
  )
  return Number(count) * 2 > Number(all)
}

/** The zone whose days fit the vendor's counts; undefined where these are of too few days. */
async function fittedZone(
  tables: ChartTables,
  { days, events }: DayCounts,
  { table, name, instant, condition, names }: CountedTable,
): Promise<Pick<VendorZone, 'zone' | 'fit'> | undefined> {
  if (days.size === 0) return undefined
  const named = events === null ? 'true' : `${name} IN (${texts(events.flatMap(names))})`
  const [[first, last] = []] = await tables.rows(
    `SELECT min(${instant}), max(${instant}) FROM ${table} WHERE ${condition}`,
  )
  if (first == null || last == null) return undefined
  const rows = await tables.rows(
    `SELECT ${instant} // ${SLOT_MS * MICROS_PER_MS} AS slot, count(*) FROM ${table} WHERE ${condition} AND ${named} GROUP BY slot`,
  )
  const slots = new SlotTotals(new Map(rows.map(([slot, count]) => [Number(slot), Number(count)])))
  const isWhole = ({ start, end }: WindowSpan) =>
    start * MICROS_PER_MS >= Number(first) && end * MICROS_PER_MS <= Number(last)
  const zone = zoneOfDays(days, slots, isWhole)
  if (zone === undefined) return undefined
  const whole = [...days].filter(([day]) => isWhole(spanOfDay(day, zone)))
  const equal = whole.filter(([day, count]) => slots.within(spanOfDay(day, zone)) === count)
  return { zone, fit: { days: whole.length, equal: equal.length } }
}

interface DayCounts {
  readonly days: ReadonlyMap<string, number>
  /** The events that are counted; null for all. */
  readonly events: readonly string[] | null
}

/** What the vendor answered to counts by day: of all events, or of the named ones together. */
function dayCounts({ charts, answers }: ZoneAsked): DayCounts {
  const days = new Map<string, number>()
  const events = new Set<string>()
  for (const { name, query } of charts) {
    const answer = answers.get(name)
    const isCount =
      query.kind === 'series' && query.measure === 'count' && query.interval === 'day' && query.by === null
    if (!isCount || query.where.length > 0 || answer === undefined || 'unanswered' in answer) continue
    if (query.event === null)
      return { days: new Map(answer.cells.map(({ at, value }) => [at, value])), events: null }
    if (events.has(query.event)) continue
    events.add(query.event)
    for (const { at, value } of answer.cells) days.set(at, (days.get(at) ?? 0) + value)
  }
  return { days, events: [...events] }
}
