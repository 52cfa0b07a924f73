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
  /** The name of a member, in place of the usual one. */
  readonly member?: (usual: string) => string
  /** The form of a member, in place of gzipped lines. */
  readonly packed?: (lines: string) => Buffer
}

/** Units that the reports may cost in five minutes: one for each day of a request. */
const MOST_COST = 1000

/** Amplitude's export, a zip of gzipped parts by the hour of upload, and its reports, by the day of the event. */
export class FakeAmplitude extends FakeVendor {
  readonly #options: FakeAmplitudeOptions

  constructor(options: FakeAmplitudeOptions) {
    super(options)
    this.#options = options
  }

  protected reply(seen: Seen, _struck: MischiefKind | undefined): Reply {
    const { events, mostEvents = Number.POSITIVE_INFINITY, mostHours = 24 * 365 } = this.#options
    if (seen.authorization !== `Basic ${Buffer.from('api-key:secret-key').toString('base64')}`) {
      return { status: 403, body: 'Invalid API key' }
    }
    if (seen.url.pathname === '/api/2/events/segmentation') return this.#segmentation(seen)
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

  #segmentation({ url, at }: Seen): Reply {
    const { events, zone = 'UTC', hidden = [] } = this.#options
    const cost = (query: URLSearchParams) => daysIn(query).length
    const spent = this.seen
      .filter((seen) => seen.url.pathname === url.pathname && seen.at > at - 300_000)
      .reduce((sum, seen) => sum + cost(seen.url.searchParams), 0)
    if (spent > MOST_COST) return { status: 429, body: '{"error": "Exceeded concurrent cost limit"}' }
    const query = url.searchParams
    const { event_type: wanted } = JSON.parse(query.get('e') ?? '{}') as { event_type?: string }
    const days = daysIn(query)
    if (wanted === undefined || days.length === 0 || days.length > 365)
      return { status: 400, body: 'bad range' }
    if (hidden.includes(wanted)) return { status: 400, body: `Invalid event type ${wanted}` }
    const found = events.filter(({ event_type: type }) => {
      const isEvent = type !== '$identify' && type !== '$groupidentify' && !hidden.includes(String(type))
      return wanted === '_all' ? isEvent : type === wanted
    })
    const byDay = new Map<string, AmplitudeEvent[]>(days.map((day) => [day, []]))
    for (const event of found) {
      const time = String(event.event_time ?? event.client_event_time ?? event.server_upload_time)
      byDay.get(dayIn(zone, Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`)))?.push(event)
    }
    // Uniques are the default.
    const count = (one: readonly AmplitudeEvent[]) =>
      query.get('m') === 'totals' ? one.length : new Set(one.map(({ user_id: id }) => id)).size
    const series = [[...byDay.values()].map(count)]
    return jsonReply({
      data: { series, seriesLabels: [0], seriesCollapsed: [[{ value: 0 }]], xValues: days },
    })
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

function daysIn(query: URLSearchParams): string[] {
  const [from = '', to = ''] = ['start', 'end'].map((name) => {
    return (query.get(name) ?? '').replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
  })
  return daysOf(from, to)
}
