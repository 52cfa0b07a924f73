import { z } from 'zod'
import { retrying } from '../../http/retry.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import type { Groups } from '../../service/groups.ts'
import { sqlText } from '../../service/query.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { number, plural } from '../../text/words.ts'
import { daysFrom } from '../counts/day-zone.ts'
import type { ExportIdentity, ExportOrder, ExportPiece, QuotaMemory, VendorCall } from '../source.ts'
import { type Credentials, cutShort, keptLimiter, type PacedWindows, VendorClient } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { exportEvents } from './events.ts'
import { exportGroups } from './groups.ts'
import { PersonColumn, personState } from './person-column.ts'
import { type QueryPlace, queryPath, queryRows, sqlInstant, TooExpensive } from './query.ts'
import { POSTHOG_COUNTED, posthogReport } from './report.ts'

/** Events arrive for a while after they happened, from phones that were offline and through the pipeline. */
export const LATE_MS = 24 * MS_PER_HOUR

/** Days are counted before so many windows are fetched: of fewer, the counts would save nothing. */
const LEAST_COUNTED = 8

export interface PostHogOptions extends PacedWindows {
  readonly host: string
  readonly projectId: string
  readonly credentials: Credentials
  readonly spanMs: number
  readonly persons: boolean
  /** The project's groups; undefined if they are not exported. */
  readonly groups: Groups | undefined
}

/** An export of a project of the service, by the query endpoint. */
export function posthogOrder(options: PostHogOptions): ExportOrder {
  return {
    preset: 'posthog',
    identity: posthogIdentity(options),
    open: (memory) => {
      const { windows, snapshots, personState, ...rest } = openQueries(options, memory)
      return { pieces: [...windows, ...snapshots], personState: (call) => personState(call, true), ...rest }
    },
  }
}

/** What tells an export of one project from another's. */
export function posthogIdentity({ host, projectId, spanMs }: PostHogOptions): ExportIdentity {
  return { vendor: 'posthog', host, project: projectId, window: `${spanMs / MS_PER_HOUR}h` }
}

/**
 * All that the query endpoint gives: `windows` are the events, a piece a window of their own time, `snapshots` persons and
 * groups as they are now.
 */
export function openQueries(options: PostHogOptions, memory: QuotaMemory) {
  const { host, projectId, credentials, quietMs, persons, groups } = options
  const limiter = keptLimiter(memory, 'query', options)
  const client = new VendorClient({ vendor: 'PostHog', origin: host, credentials, limiter, quietMs })
  const path = queryPath(projectId)
  const place = { client, path }
  const person = new PersonColumn()
  const windows = options.windows.map((window): ExportPiece => {
    return {
      name: window.name,
      asks: `POST ${host}${path} events of ${window.name}`,
      finalAt: window.end + LATE_MS,
      events: { span: window, by: POSTHOG_COUNTED },
      async *fetch(call) {
        yield* exportEvents({ ...place, person }, window, call)
      },
    }
  })
  const foresee = async (pieces: readonly ExportPiece[], call: VendorCall) => {
    const now = options.clock.wall()
    // Those to which events are still added are asked for in their turn, which is the last.
    const ofQuery = new Set(windows)
    const final = pieces.filter((piece) => ofQuery.has(piece) && piece.finalAt <= now)
    if (final.length < LEAST_COUNTED) return []
    const span = { start: final[0]!.events!.span.start, end: final.at(-1)!.events!.span.end }
    const isEmpty = await emptinessOf(place, span, call)
    const empty = final.filter((piece) => isEmpty(piece.events!.span))
    if (empty.length > 0) {
      const windows = `${number(empty.length)} of ${plural(final.length, 'window')}`
      call.note(`${windows} are empty by PostHog's own count of days: they are not asked for one by one`)
    }
    return empty
  }
  const snapshots: ExportPiece[] = []
  const snapshot = (name: string, fetch: ExportPiece['fetch']) => {
    snapshots.push({ name, asks: `POST ${host}${path} ${name}`, finalAt: 0, fetch })
  }
  if (persons) snapshot('persons', (call) => exportPersons(place, call))
  if (groups) snapshot('groups', () => exportGroups(groups))
  return {
    windows,
    snapshots,
    report: posthogReport(place),
    /** `byQuery`: all events come by query, which gives no more of persons than the server's columns have. */
    personState: (call: Pick<VendorCall, 'signal'>, byQuery: boolean) =>
      personState({ ...place, person }, { windows: options.windows, persons, byQuery }, call),
    ...{ limiter, foresee },
    close: () => client.close(),
  }
}

/**
 * Counts the events of each UTC day of a span in one query, and tells of windows whether all days that they
 * touch are empty. Where that is too much for one query, none is taken for empty.
 */
export async function emptinessOf(
  place: QueryPlace,
  span: WindowSpan,
  call: VendorCall,
): Promise<(window: WindowSpan) => boolean> {
  const asked = daysOf(span)
  const [first, last] = [Date.parse(asked[0]!), Date.parse(asked.at(-1)!)]
  const sql =
    "SELECT toString(toDate(toTimeZone(timestamp, 'UTC'))) AS day, count() FROM events " +
    `WHERE timestamp >= ${sqlInstant(first)} AND timestamp < ${sqlInstant(last + MS_PER_DAY)} ` +
    `GROUP BY day ORDER BY day LIMIT ${asked.length + 1}`
  try {
    const there = await retrying(async () => {
      const found = (await queryRows(place, { sql, columns: 2 }, call)).map(([day]) => day as string)
      // Counts of other days, or of a day twice, are an answer to something else: it says nothing of these.
      const days = new Set(found)
      if (days.size === found.length && found.every((day) => asked.includes(day))) return days
      throw cutShort(`${place.client.vendor} answered with counts of other days`)
    }, call.retry)
    return (window) => !daysOf(window).some((day) => there.has(day))
  } catch (error) {
    if (error instanceof TooExpensive) return () => false
    throw error
  }
}

/** The UTC days that a span touches. */
function daysOf({ start, end }: WindowSpan): string[] {
  const [first, last] = [start, end - 1].map((instant) => new Date(instant).toISOString().slice(0, 10))
  return daysFrom(first!, last!)
}

const ROWS = 5000
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z?$/
/** The id, the time, properties as JSON, and one of the distinct ids, which not every person has. */
const row = z.tuple([z.string(), z.string().regex(TIME), z.string().regex(/^\s*(?:\{|$)/), z.unknown()])

/**
 * All persons, each as a `$set` event with its properties, under one of its distinct ids. The event's time is when the
 * person was created, so that these properties do not seem newer than those that events set.
 */
export async function* exportPersons(place: QueryPlace, call: VendorCall): AsyncGenerator<Buffer> {
  const { vendor } = place.client
  for (let after = ''; ; ) {
    const sql = personsQuery(after)
    const rows = await retrying(async () => {
      const page = await queryRows(place, { sql, columns: 4 }, call)
      const [first] = page
      // The page before would be asked for again without end.
      if (first && String(first[0]) <= after) throw cutShort(`${vendor} answered with persons twice`)
      return page
    }, call.retry)
    const lines: string[] = []
    for (const found of rows) {
      const { success, data } = row.safeParse(found)
      if (!success) throw cutShort(`${vendor} answered with a row that is not a person`)
      const [id, createdAt, properties, distinctId] = data
      after = id
      if (typeof distinctId === 'string' && distinctId !== '')
        lines.push(personLine(id, createdAt, properties, distinctId))
    }
    yield Buffer.from(lines.join(''))
    if (rows.length < ROWS) return
  }
}

function personsQuery(after: string): string {
  return (
    "SELECT toString(p.id) AS person, toString(toTimeZone(p.created_at, 'UTC')), p.properties, d.distinct_id " +
    'FROM persons AS p LEFT JOIN (SELECT person_id, min(distinct_id) AS distinct_id FROM person_distinct_ids ' +
    `GROUP BY person_id) AS d ON p.id = d.person_id WHERE toString(p.id) > ${sqlText(after)} ` +
    `ORDER BY toString(p.id) ASC LIMIT ${ROWS}`
  )
}

function personLine(id: string, createdAt: string, properties: string, distinctId: string): string {
  const set = properties.trim() === '' ? '{}' : properties.replaceAll(/[\r\n]+/g, ' ')
  // The uuid depends on the properties too: a person that is fetched again with other ones is another event.
  const uuid = uuidV5(POSTHAUL_NAMESPACE, `person:${id}:${set}`)
  const time = `${createdAt.replace(' ', 'T').replace(/Z?$/, 'Z')}`
  return (
    `{"uuid":"${uuid}","event":"$set","distinct_id":${JSON.stringify(distinctId)},` +
    `"timestamp":${JSON.stringify(time)},"properties":{"$set":${set}}}\n`
  )
}
