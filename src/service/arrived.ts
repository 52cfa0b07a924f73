import { z } from 'zod'
import { Fingerprint } from '../record/fingerprint.ts'
import { GROUP_EVENT, GROUP_EVENT_NAMES } from '../record/rules.ts'
import { parseTime } from '../record/time.ts'
import type { AskedProject } from './api.ts'
import { ServiceError } from './errors.ts'
import { type EventFilter, HALVES, halves, ofImports, sqlWhere, thirds, UTC_DAY } from './event-filter.ts'
import { askRows, assertOnward, dayCell, MAX_ROWS, sqlText, sqlUtc, timeCell } from './query.ts'

/** The events of a UTC day and a name in the service; `event` is null for all events of a day. */
export interface ArrivedCell {
  readonly day: string
  readonly event: string | null
  readonly events: Fingerprint
  /** Events that are there under more than one time; undefined for none. */
  readonly doubled?: ArrivedTwice
}

/** Events of a cell that the service keeps under more than one time of their day, and so counts more than once. */
export interface ArrivedTwice {
  /** How many more the service counts than there are. */
  readonly more: number
  readonly example: {
    readonly uuid: string
    /** The first and the last of its times, in UTC: `2024-03-01 12:34:56.789`. */
    readonly times: readonly [string, string]
  }
}

interface ArrivedQuery {
  readonly filter: EventFilter
  /** Days are not told apart by name. */
  readonly whole: boolean
  /** For tests. */
  readonly maxRows?: number
}

const digits = z.string().regex(/^\d{1,20}$/)
const three = [digits, digits, digits] as const
const row = z.tuple([dayCell, z.string(), digits, ...three, ...three, digits, z.string()])
const WHAT = 'the fingerprints of events'

// HogQL names the function that it does not have: "Unsupported function call 'groupBitXor(...)'".
const NO_FUNCTION = /function/i

/**
 * Counts and fingerprints of the events that the service holds. A server without the functions for it is asked for the
 * ids themselves. What is too much for one query is asked in smaller ones: half the days, then a share of one day. A
 * cell may be yielded in several pieces, which share no event.
 */
export async function* arrivedCells(project: AskedProject, query: ArrivedQuery): AsyncGenerator<ArrivedCell> {
  const { maxRows = MAX_ROWS, filter } = query
  const split = halves(filter)
  const smaller = split ?? thirds(filter)
  let cells: readonly ArrivedCell[] | undefined
  try {
    cells = await ask(project, query, { canShrink: smaller !== undefined })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.status === 400 && !error.heavy && NO_FUNCTION.test(error.message)) {
      yield* countedHere(project, query)
      return
    }
    if (!error.heavy || !smaller) throw error
  }
  if (!cells || (split && cells.length >= maxRows)) {
    for (const piece of smaller!) yield* arrivedCells(project, { ...query, filter: piece })
    return
  }
  while (cells.length > 0) {
    yield* cells
    if (cells.length < maxRows || query.whole) return
    const after = cells.at(-1)!.event!
    cells = await ask(project, query, { after, canShrink: false })
    assertOnward(project, WHAT, after, cells.at(-1)?.event)
  }
}

async function ask(
  project: AskedProject,
  { filter, whole, maxRows = MAX_ROWS }: ArrivedQuery,
  { after, canShrink }: { readonly after?: string; readonly canShrink: boolean },
): Promise<readonly ArrivedCell[]> {
  const query = arrivedQuery(filter, whole, after, maxRows)
  const rows = await askRows(project, { query, what: WHAT, row, canShrink })
  return rows.map(([day, event, count, x0, x1, x2, s0, s1, s2, times, twice]) => ({
    day,
    event: whole ? null : event,
    events: Fingerprint.of(Number(count), { xor: [x0, x1, x2], sum: [s0, s1, s2] }),
    ...(twice && { doubled: twiceOf(Number(times) - Number(count), twice) }),
  }))
}

function twiceOf(more: number, text: string): ArrivedTwice {
  const [uuid = '', first = '', last = ''] = text.split('|')
  return { more, example: { uuid, times: [first, last] } }
}

/** Microseconds since 1970 of an event's first time. */
const MICROS = "dateDiff('microsecond', toDateTime64('1970-01-01 00:00:00.000000', 6, 'UTC'), earliest)"
const [OTHER_GROUP_EVENT] = GROUP_EVENT_NAMES.filter((name) => name !== GROUP_EVENT)
/** The print of an event without its time: record/fingerprint.ts says what it is made of. */
const TIMELESS =
  `cityHash64(cityHash64(${HALVES[0]} + cityHash64(distinct_id)) + ${HALVES[1]} + ` +
  `cityHash64(if(event = ${sqlText(OTHER_GROUP_EVENT!)}, ${sqlText(GROUP_EVENT)}, event)))`

/**
 * The query. Copies that are not merged yet are rows of their own, and count once where their times agree. Vendors reuse
 * their ids, so only uuid, name and distinct_id together identify an event of a day. Which imports an event is of is asked
 * of all its copies together: one that another import or a live client sent has no id of these, and is there twice all the
 * same. Grouping takes few and short keys, since it goes over live events too. Numbers of 64 bits are text: JSON readers round them.
 */
export function arrivedQuery(
  filter: EventFilter,
  whole: boolean,
  after: string | undefined,
  maxRows: number,
): string {
  const keys = whole ? 'day' : 'day, event'
  const page = after === undefined ? '' : ` AND event > ${sqlText(after)}`
  const { importIds, unreadable = false } = filter
  const own = importIds ? ` HAVING countIf(${ofImports(importIds, unreadable)}) > 0` : ''
  const prints = [
    `cityHash64(timeless + ${MICROS})`,
    'timeless',
    `cityHash64(timeless + intDiv(${MICROS}, 1000))`,
  ]
  return (
    `SELECT day, ${whole ? "''" : 'event'}, toString(count()), ` +
    `${['groupBitXor', 'sum'].flatMap((name) => prints.map((print) => `toString(${name}(${print}))`)).join(', ')}, ` +
    'toString(sum(times)), ' +
    `ifNull(minIf(concat(toString(uuid), '|', ${sqlUtc('earliest')}, '|', ${sqlUtc('latest')}), times > 1), '') ` +
    `FROM (SELECT ${UTC_DAY} AS day, event, uuid, ${TIMELESS} AS timeless, ` +
    'uniqExact(timestamp) AS times, min(timestamp) AS earliest, max(timestamp) AS latest ' +
    `FROM events WHERE ${sqlWhere({ ...filter, importIds: null })}${page} ` +
    `GROUP BY day, event, distinct_id, uuid${own}) ` +
    `GROUP BY ${keys} ORDER BY ${keys} LIMIT ${maxRows}`
  )
}

/** The same from the events themselves, day by day. Of one under several times, the first counts. */
async function* countedHere(project: AskedProject, query: ArrivedQuery): AsyncGenerator<ArrivedCell> {
  const split = halves(query.filter)
  if (split) {
    for (const filter of split) yield* countedHere(project, { ...query, filter })
    return
  }
  const cells = new Map<string | null, Fingerprint>()
  for await (const page of arrivedIds(project, query.filter, query.maxRows)) {
    for (const { event, uuid, distinctId, instant } of page) {
      const name = query.whole ? null : event
      const events = cells.get(name) ?? new Fingerprint()
      cells.set(name, events)
      events.addTexts(uuid, distinctId, event, instant)
    }
  }
  for (const [event, events] of cells) yield { day: query.filter.first, event, events }
}

/** What tells an event apart from the others of its day. */
export interface ArrivedId {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** Its time, or the first of its times, in microseconds since 1970. */
  readonly instant: number
}

const idRow = z.tuple([z.string(), z.string(), z.string(), timeCell])
const IDS = 'the ids of events'

/**
 * The ids of the events of one day, each once, in pages. A page begins after the last id of the one before, so that
 * events which arrive meanwhile shift nothing. A query that is too much is asked in shares.
 */
export async function* arrivedIds(
  project: AskedProject,
  filter: EventFilter,
  pageRows = MAX_ROWS,
): AsyncGenerator<readonly ArrivedId[]> {
  let after: ArrivedId | undefined
  for (;;) {
    const shares = after ? undefined : thirds(filter)
    const query =
      `SELECT toString(uuid) AS id, distinct_id, event, ${sqlUtc('min(timestamp)')} FROM events WHERE ${sqlWhere(filter)}` +
      `${after ? ` AND ${sqlAfter(after)}` : ''} GROUP BY id, distinct_id, event ` +
      `ORDER BY id, distinct_id, event LIMIT ${pageRows}`
    const asked = { query, what: IDS, row: idRow, canShrink: shares !== undefined }
    let page: readonly ArrivedId[]
    try {
      const rows = await askRows(project, asked)
      page = rows.map(([uuid, distinctId, event, time]) => ({
        uuid,
        event,
        distinctId,
        instant: parseTime(time),
      }))
    } catch (error) {
      if (!(error instanceof ServiceError && error.heavy) || !shares) throw error
      for (const share of shares) yield* arrivedIds(project, share, pageRows)
      return
    }
    assertOnward(project, IDS, after, page.at(-1))
    if (page.length > 0) yield page
    if (page.length < pageRows) return
    after = page.at(-1)!
  }
}

function sqlAfter({ uuid, distinctId, event }: ArrivedId): string {
  const [u, d, e] = [uuid, distinctId, event].map(sqlText)
  return (
    `(toString(uuid) > ${u} OR (toString(uuid) = ${u} AND ` +
    `(distinct_id > ${d} OR (distinct_id = ${d} AND event > ${e}))))`
  )
}
