import { gzipSync } from 'node:zlib'
import { shuffled } from '../random.ts'
import { makeZip } from '../zip.ts'
import { dayIn, daysOf, jsonReply } from './days.ts'
import { type FakeOptions, FakeVendor, type MischiefKind, type Reply, type Seen } from './fake.ts'

export interface AmplitudeEvent {
  /** ISO-like text, UTC: `2024-03-01 05:00:00.123456`. */
  readonly server_upload_time: string
  readonly [key: string]: unknown
}

export interface FakeAmplitudeOptions extends FakeOptions {
  /** What was sent. Copies by device and insert id within a week were dropped when they arrived: no export has them. */
  readonly events: readonly AmplitudeEvent[]
  /** More events than this in one answer are `over 4 GB`. */
  readonly mostEvents?: number
  /** More hours than this in one request time out. */
  readonly mostHours?: number
  /** Requests that begin at this hour (`20240301T00`) fail, always. */
  readonly sickHour?: string
  /** The project's time zone, which the reports' days are of. */
  readonly zone?: string
  /** Events that the reports have, and the export lacks. */
  readonly lost?: (event: AmplitudeEvent) => boolean
  /** Event types that no report can show. */
  readonly hidden?: readonly string[]
  /** The clock of the quota; the real one if left out. */
  readonly now?: () => number
  /** The name of a member, in place of the usual one. */
  readonly member?: (usual: string) => string
  /** The form of a member, in place of gzipped lines. */
  readonly packed?: (lines: string) => Buffer
}

/** Units that counts may cost in five minutes. */
const MOST_COST = 1000
const WEEK_MS = 7 * 86_400_000
const UNSEEN = new Set(['$identify', '$groupidentify'])

/** Amplitude's export, a zip of gzipped parts by the hour of upload, and its reports, by the day of the event. */
export class FakeAmplitude extends FakeVendor {
  readonly #options: FakeAmplitudeOptions
  readonly #spent: { readonly at: number; readonly cost: number }[] = []

  constructor(options: FakeAmplitudeOptions) {
    super(options)
    this.#options = { ...options, events: arrived(options.events) }
  }

  protected reply(seen: Seen, _struck: MischiefKind | undefined): Reply {
    const { events, mostEvents = Number.POSITIVE_INFINITY, mostHours = 24 * 365 } = this.#options
    if (seen.authorization !== `Basic ${Buffer.from('api-key:secret-key').toString('base64')}`) {
      return { status: 403, body: 'Invalid API key' }
    }
    if (seen.url.pathname === '/api/2/events/segmentation') return this.#counts(seen.url)
    if (seen.url.pathname !== '/api/2/export') return { status: 404, body: 'no such page' }
    if (seen.url.searchParams.get('start') === this.#options.sickHour) return { status: 500, body: 'sick' }
    const start = hourOf(seen.url.searchParams.get('start') ?? '')
    const end = hourOf(seen.url.searchParams.get('end') ?? '')
    const found = events.filter((event) => {
      const hour = Math.floor(Date.parse(`${event.server_upload_time.replace(' ', 'T')}Z`) / 3_600_000)
      return hour >= start && hour <= end && !this.#options.lost?.(event)
    })
    if (end - start + 1 > mostHours) return { status: 504, body: 'timeout' }
    if (found.length > mostEvents) return { status: 400, body: 'the export is over 4 GB' }
    if (found.length === 0) return { status: 404, body: 'Raw data files were not found' }
    return { status: 200, headers: { 'content-type': 'application/zip' }, body: this.#archive(found) }
  }

  /** The totals of one event, or of any, by day, over the records that the export has. A day costs one unit. */
  #counts(url: URL): Reply {
    const { now = Date.now, events, zone = 'UTC', hidden = [] } = this.#options
    const query = url.searchParams
    const days = daysIn(query)
    const at = now()
    const spent = this.#spent
      .filter((one) => one.at > at - 300_000)
      .reduce((sum, one) => sum + one.cost, days.length)
    if (spent > MOST_COST) return jsonReply({ error: `Exceeded concurrent cost limit: ${spent}` }, 429)
    this.#spent.push({ at, cost: days.length })
    if (days.length === 0 || days.length > 365) return { status: 400, body: 'bad range' }
    const { event_type: asked } = JSON.parse(query.get('e') ?? '{}') as { event_type: string }
    if (hidden.includes(asked)) return jsonReply({ error: `Invalid event type ${asked}` }, 400)
    const counts = new Map(days.map((day) => [day, 0]))
    for (const event of events) {
      const type = String(event.event_type)
      if (UNSEEN.has(type) || hidden.includes(type) || (asked !== '_all' && asked !== type)) continue
      const day = dayIn(zone, timeOf(event))
      const count = counts.get(day)
      if (count !== undefined) counts.set(day, count + 1)
    }
    return jsonReply({ data: { series: [[...counts.values()]], seriesLabels: [[0, asked]], xValues: days } })
  }

  #archive(found: readonly AmplitudeEvent[]): Buffer {
    const { member = (usual) => usual, packed = (lines) => gzipSync(lines) } = this.#options
    const members = new Map<string, string[]>()
    for (const event of shuffled(found, this.random)) {
      const [day, time = ''] = event.server_upload_time.split(' ')
      const part = Math.floor(this.random() * 2)
      const name = `123456/123456_${day}_${Number(time.slice(0, 2))}#${part}.json.gz`
      members.set(name, [...(members.get(name) ?? []), JSON.stringify(event)])
    }
    // The last line of a member has no line end, and some files of the archive are not events.
    const inputs = [...members].map(([name, lines]) => ({
      name: member(name),
      data: packed(lines.join('\n')),
      stored: true,
    }))
    const odd = { name: '../../etc/123456.txt', data: Buffer.from('not an event') }
    return makeZip([...inputs, odd])
  }
}

function hourOf(text: string): number {
  const iso = text.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})$/, '$1-$2-$3T$4:00:00Z')
  return Math.floor(Date.parse(iso) / 3_600_000)
}

/** An event that repeats the insert id of its device within a week is dropped. */
function arrived(events: readonly AmplitudeEvent[]): AmplitudeEvent[] {
  const first = new Map<string, number>()
  return events.filter(({ device_id: device, $insert_id: id, server_upload_time: time }) => {
    if (id === undefined || id === null) return true
    const [key, at] = [JSON.stringify([device, id]), Date.parse(`${time.replace(' ', 'T')}Z`)]
    const known = first.get(key)
    if (known !== undefined && Math.abs(at - known) < WEEK_MS) return false
    first.set(key, at)
    return true
  })
}

function daysIn(query: URLSearchParams): string[] {
  const [from = '', to = ''] = ['start', 'end'].map((name) => {
    return (query.get(name) ?? '').replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
  })
  return daysOf(from, to)
}

function timeOf(event: AmplitudeEvent): number {
  const time = String(event.event_time ?? event.client_event_time ?? event.server_upload_time)
  return Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`)
}
