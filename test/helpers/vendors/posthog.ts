import { type FakeOptions, FakeVendor, type Reply, type Seen } from './fake.ts'

export interface PostHogRow {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** `2024-03-01 05:00:00.123456` */
  readonly timestamp: string
  /** JSON text. */
  readonly properties: string
  readonly elements_chain?: string
  /** JSON text, of events that were stored long ago. */
  readonly person_properties?: string
}

interface PersonRow {
  readonly id: string
  readonly created_at: string
  readonly properties: string
  readonly distinct_id: string
}

export interface FakePostHogOptions extends FakeOptions {
  events: readonly PostHogRow[]
  readonly persons?: readonly PersonRow[]
  /** A query whose time span holds more events than this is too expensive. */
  readonly mostScanned?: number
  /** The words of a 400 for queries that name `poe`. */
  readonly refusesPerson?: string
  /** How many events are older than the days that $set is kept; none of them has it. */
  readonly old?: number
  /** Events that counts have, and pages of events lack. */
  readonly lost?: (row: PostHogRow) => boolean
}

const TIME = String.raw`toDateTime64\('([^']+)', 6, 'UTC'\)`
const EVENTS = new RegExp(
  String.raw`FROM events WHERE timestamp >= ${TIME} AND timestamp < ${TIME}(?: AND \(timestamp > ${TIME} ` +
    String.raw`OR \(timestamp = ${TIME} AND toString\(uuid\) > '([^']+)'\)\))? ` +
    String.raw`ORDER BY timestamp ASC, toString\(uuid\) ASC LIMIT (\d+)$`,
)
const COUNTS = new RegExp(
  String.raw`^SELECT toString\(toDate\(toTimeZone\(timestamp, 'UTC'\)\)\) AS day, event, ` +
    String.raw`count\(DISTINCT concat\(toString\(uuid\), distinct_id\)\) FROM events WHERE timestamp >= ${TIME} ` +
    String.raw`AND timestamp < ${TIME}(?: AND event > '([^']*)')? GROUP BY day, event ORDER BY day, event LIMIT (\d+)$`,
)
const DAYS = new RegExp(
  String.raw`^SELECT toString\(toDate\(toTimeZone\(timestamp, 'UTC'\)\)\) AS day, count\(\) FROM events WHERE ` +
    String.raw`timestamp >= ${TIME} AND timestamp < ${TIME} GROUP BY day ORDER BY day LIMIT \d+$`,
)
const PERSONS = /WHERE toString\(p\.id\) > '([^']*)' ORDER BY toString\(p\.id\) ASC LIMIT (\d+)$/

/** The part of the service's query endpoint that an export uses. */
export class FakePostHog extends FakeVendor {
  readonly #options: FakePostHogOptions

  constructor(options: FakePostHogOptions) {
    super(options)
    this.#options = options
  }

  protected reply(seen: Seen): Reply {
    if (seen.authorization !== 'Bearer phx_source_key') {
      return json(401, {
        type: 'authentication_error',
        code: 'authentication_failed',
        detail: 'Invalid key.',
      })
    }
    if (seen.url.pathname !== '/api/projects/7/query/')
      return json(404, { code: 'not_found', detail: 'Not found.' })
    const { query } = JSON.parse(seen.body) as { query: { query: string } }
    const { refusesPerson, old = 0 } = this.#options
    if (refusesPerson !== undefined && query.query.includes('poe.'))
      return json(400, { type: 'validation_error', code: 'hogql', detail: refusesPerson })
    const events = EVENTS.exec(query.query)
    if (events) return this.#events(events.slice(1))
    const counts = COUNTS.exec(query.query)
    if (counts) return this.#counts(counts.slice(1))
    const days = DAYS.exec(query.query)
    if (days) return this.#days(days.slice(1))
    if (query.query.startsWith('SELECT count(), countIf(')) return rowsReply([[old, 0]])
    if (query.query.startsWith('SELECT poe.properties FROM')) return rowsReply([['{}']])
    const persons = PERSONS.exec(query.query)
    if (persons) return this.#persons(persons[1]!, Number(persons[2]))
    return json(400, { type: 'validation_error', code: 'hogql', detail: `cannot read ${query.query}` })
  }

  #days([from, to]: (string | undefined)[]): Reply {
    const { events, mostScanned = Number.POSITIVE_INFINITY } = this.#options
    const days = new Map<string, number>()
    const scanned = events.filter(({ timestamp }) => timestamp >= from! && timestamp < to!)
    if (scanned.length > mostScanned)
      return json(512, { type: 'server_error', detail: 'Query is too expensive' })
    for (const { timestamp } of scanned)
      days.set(timestamp.slice(0, 10), (days.get(timestamp.slice(0, 10)) ?? 0) + 1)
    return rowsReply([...days].sort())
  }

  #events([from, to, afterTime, , afterUuid, limit]: (string | undefined)[]): Reply {
    const { events, mostScanned = Number.POSITIVE_INFINITY } = this.#options
    const scanned = events.filter(({ timestamp }) => timestamp >= from! && timestamp < to!)
    if (scanned.length > mostScanned)
      return json(512, { type: 'server_error', detail: 'Query is too expensive' })
    const rows = scanned
      .filter((row) => !this.#options.lost?.(row))
      .filter(
        ({ timestamp, uuid }) =>
          afterTime === undefined || timestamp > afterTime || (timestamp === afterTime && uuid > afterUuid!),
      )
      .sort((a, b) => (key(a) < key(b) ? -1 : 1))
      .slice(0, Number(limit))
    return rowsReply(
      rows.map((row) => [
        row.uuid,
        row.event,
        row.distinct_id,
        row.timestamp,
        row.properties,
        row.elements_chain ?? '',
        row.timestamp,
        row.person_properties ?? '{}',
      ]),
    )
  }

  #counts([from, to, afterEvent, limit]: (string | undefined)[]): Reply {
    const ids = new Map<string, Set<string>>()
    for (const { timestamp, event, uuid, distinct_id } of this.#options.events) {
      if (timestamp < from! || timestamp >= to! || (afterEvent !== undefined && event <= afterEvent)) continue
      const key = JSON.stringify([timestamp.slice(0, 10), event])
      ids.set(key, (ids.get(key) ?? new Set()).add(uuid + distinct_id))
    }
    const rows = [...ids].map(([key, found]): [string, string, number] => {
      const [day, event] = JSON.parse(key) as [string, string]
      return [day, event, found.size]
    })
    rows.sort((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1))
    return rowsReply(rows.slice(0, Number(limit)))
  }

  #persons(after: string, limit: number): Reply {
    const rows = [...(this.#options.persons ?? [])]
      .filter(({ id }) => id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
    return rowsReply(rows.map((row) => [row.id, row.created_at, row.properties, row.distinct_id]))
  }
}

function key({ timestamp, uuid }: PostHogRow): string {
  return `${timestamp} ${uuid}`
}

function rowsReply(results: unknown[][]): Reply {
  return json(200, { results, columns: [], types: [], hasMore: false, limit: 100, offset: 0 })
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
