import { z } from 'zod'
import { retrying } from '../../http/retry.ts'
import { sqlText, sqlUtc } from '../../service/query.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import type { VendorCall } from '../source.ts'
import { cutShort, type VendorClient, VendorError } from '../vendor-client.ts'
import type { Window } from '../window.ts'
import { type EventQueries, noPersonColumn } from './person-column.ts'
import { type QueryPlace, queryRows, sqlInstant, sqlTime, TooExpensive } from './query.ts'

const MOST_ROWS = 10_000
const LEAST_ROWS = 100
const LEAST_SPAN_MS = 1000
// A query over less than this span is not too much. If it times out, the service has an outage.
const OUTAGE_SPAN_MS = MS_PER_MINUTE

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(?:Z|\+00:00)?$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

// Times are text, because the service's JSON may cut them to milliseconds, and in UTC, whatever the project's zone.
const COLUMNS = [
  'toString(uuid)',
  'event',
  'distinct_id',
  sqlUtc('timestamp'),
  'properties',
  'elements_chain',
  sqlUtc('created_at'),
]

const text = z.string()
const rowSchema = z.tuple([text.regex(UUID), text, text, text, text, z.unknown(), z.unknown(), z.unknown()])

type Row = ReturnType<typeof rowOf>

/**
 * A window's events, one JSON object on each line, in the form of the service's own batch exports. Each page begins
 * after the last row (timestamp, uuid) of the one before, so events that arrive meanwhile shift nothing. A page that is
 * too expensive is requested again over half the time, then with fewer rows.
 */
export async function* exportEvents(
  { person, ...place }: EventQueries,
  window: Window,
  call: VendorCall,
  mostRows = MOST_ROWS,
): AsyncGenerator<Buffer> {
  const { client } = place
  let span = window.end - window.start
  let rows = mostRows
  let after: Row | undefined
  for (let start = window.start; start < window.end; ) {
    const end = Math.min(start + span, window.end)
    const columns = [...COLUMNS, person.sql]
    let page: Row[]
    try {
      page = await retrying(async () => {
        const query = { start, end, after, limit: rows }
        const found = await askPage(place, eventsQuery(columns, query), call)
        assertAskedFor(found, query, client)
        return found
      }, call.retry)
    } catch (error) {
      if (person.isRefused(error, columns.at(-1)!, call.note)) continue
      if (!(error instanceof TooExpensive)) throw error
      if (error.status === 504 && span <= OUTAGE_SPAN_MS)
        throw cutShort(`${client.vendor} answered 504`, error)
      if (span <= LEAST_SPAN_MS && rows <= LEAST_ROWS) throw tooExpensive(start, error)
      if (span > LEAST_SPAN_MS) span = Math.max(LEAST_SPAN_MS, Math.ceil((end - start) / 2))
      else rows = Math.max(LEAST_ROWS, Math.floor(rows / 2))
      call.note(`${new Date(start).toISOString()}: too much for one query, asking for less`)
      continue
    }
    if (page.length > 0) yield Buffer.from(page.map(eventLine).join(''))
    if (page.length >= rows) {
      after = page.at(-1)!
      // A span that is halved is halved from here: an end before it would ask for these rows again.
      start = Date.parse(`${after.timestamp.slice(0, 23).replace(' ', 'T')}Z`)
      continue
    }
    after = undefined
    start = end
    span = Math.min(span * 2, window.end - window.start)
  }
}

/** A page of the events in `[start, end)` that come after the row `after`. */
interface EventsPage {
  readonly start: number
  readonly end: number
  readonly after: Row | undefined
  readonly limit: number
}

function eventsQuery(columns: readonly string[], { start, end, after, limit }: EventsPage): string {
  const afterRow = after
    ? ` AND (timestamp > ${sqlTime(after.timestamp)} OR (timestamp = ${sqlTime(after.timestamp)} AND toString(uuid) > ${sqlText(after.uuid)}))`
    : ''
  return (
    `SELECT ${columns.join(', ')} FROM events ` +
    `WHERE timestamp >= ${after ? sqlTime(after.timestamp) : sqlInstant(start)} AND timestamp < ${sqlInstant(end)}${afterRow} ` +
    `ORDER BY timestamp ASC, toString(uuid) ASC LIMIT ${limit}`
  )
}

async function askPage(place: QueryPlace, sql: string, call: VendorCall): Promise<Row[]> {
  const query = { sql, columns: COLUMNS.length + 1, refused: noPersonColumn }
  const rows = await queryRows(place, query, call)
  return rows.map((row) => rowOf(row, place.client))
}

/** Properties are JSON as the service stores it, and those of the person an empty object where `$set` is kept. */
function rowOf(row: readonly unknown[], client: VendorClient) {
  const { success, data } = rowSchema.safeParse(row)
  if (!success) throw cutShort(`${client.vendor} answered with a row that is not an event`)
  const [uuid, event, distinctId, time, properties, chain, created, person] = data
  return {
    ...{ uuid, event, distinctId, properties },
    timestamp: utcText(time, client),
    elementsChain: typeof chain === 'string' ? chain : '',
    createdAt: typeof created === 'string' ? utcText(created, client) : null,
    personProperties: typeof person === 'string' ? person : '{}',
  }
}

/** A page of other events would lose those that were asked for; one that came before would be asked for again without end. */
function assertAskedFor(
  page: readonly Row[],
  { start, end, after }: EventsPage,
  { vendor }: VendorClient,
): void {
  const [first, last] = [start, end].map(
    (ms) => `${new Date(ms).toISOString().slice(0, 23).replace('T', ' ')}000`,
  )
  const isMeant = page.every(({ timestamp }) => timestamp >= first! && timestamp < last!)
  const [next] = page
  const isNew = !after || !next || [next.timestamp, next.uuid].join() > [after.timestamp, after.uuid].join()
  if (!isMeant || !isNew) throw cutShort(`${vendor} answered with events that were not asked for`)
}

/** A time in the form that queries take, to the microsecond: `2024-03-01 12:34:56.789123`. */
function utcText(text: string, client: VendorClient): string {
  const match = TIME.exec(text)
  if (!match) throw cutShort(`${client.vendor} answered with a time in an unknown form`)
  return `${match[1]} ${match[2]}.${(match[3] ?? '').padEnd(6, '0')}`
}

function eventLine(row: Row): string {
  const quoted = JSON.stringify
  const iso = (time: string) => quoted(`${time.replace(' ', 'T')}Z`)
  // The properties are copied as the service wrote them: parsed numbers lose digits.
  const json = (stored: string) => stored.replaceAll(/[\r\n]+/g, ' ')
  const properties = row.properties.trim() === '' ? '{}' : json(row.properties)
  const hasPerson = !['', '{}'].includes(row.personProperties.trim())
  const person = hasPerson ? `,"person_properties":${json(row.personProperties)}` : ''
  const chain = row.elementsChain === '' ? '' : `,"elements_chain":${quoted(row.elementsChain)}`
  const created = row.createdAt === null ? '' : `,"created_at":${iso(row.createdAt)}`
  return (
    `{"uuid":${quoted(row.uuid)},"event":${quoted(row.event)},"distinct_id":${quoted(row.distinctId)},` +
    `"timestamp":${iso(row.timestamp)},"properties":${properties}${person}${chain}${created}}\n`
  )
}

function tooExpensive(start: number, cause: TooExpensive): VendorError {
  return new VendorError(
    `PostHog refuses even a second's events as too expensive, at ${new Date(start).toISOString()} (${cause.message})`,
    {
      code: 'unavailable',
      fate: 'reject',
      hint: 'use a batch export of the project: transform --preset posthog reads its files',
      cause,
    },
  )
}
