import { gzipSync } from 'node:zlib'
import { shuffled } from '../random.ts'
import { type FakeOptions, FakeVendor, type MischiefKind, type Reply, type Seen } from './fake.ts'

export interface MixpanelEvent {
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>> & { readonly time: number }
}

export interface FakeMixpanelOptions extends FakeOptions {
  readonly events: readonly MixpanelEvent[]
  /** Profiles as JSON texts. */
  readonly profiles?: readonly string[]
  /** Answers without compression, whatever the client accepts. */
  readonly plain?: boolean
  readonly groupProfiles?: Readonly<Record<string, readonly string[]>>
}

const PAGE = 1000

/** Mixpanel's raw export and its profiles. A second download of a day has another order. */
export class FakeMixpanel extends FakeVendor {
  events: readonly MixpanelEvent[]
  credentials = { user: 'service-user', secret: 'service-secret' }
  readonly #options: FakeMixpanelOptions

  constructor(options: FakeMixpanelOptions) {
    super(options)
    this.#options = options
    this.events = options.events
  }

  protected reply(seen: Seen, struck: MischiefKind | undefined): Reply {
    const { user, secret } = this.credentials
    const wanted = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
    if (seen.authorization !== wanted) return { status: 401, body: '{"error": "Invalid credentials"}' }
    if (seen.url.pathname === '/api/query/engage') return this.#engage(new URLSearchParams(seen.body))
    if (seen.url.pathname !== '/api/2.0/export') return { status: 404, body: 'no such page' }
    return this.#export(seen.url.searchParams, struck)
  }

  #export(query: URLSearchParams, struck: MischiefKind | undefined): Reply {
    const from = Date.parse(`${query.get('from_date')}T00:00:00Z`)
    const to = Date.parse(`${query.get('to_date')}T00:00:00Z`) + 86_400_000
    const names: unknown = JSON.parse(query.get('event') ?? 'null')
    const inMs = query.get('time_in_ms') === 'true'
    const lines = this.events
      .filter(({ properties: { time } }) => time >= from && time < to)
      .filter(({ event }) => !Array.isArray(names) || names.includes(event))
      .map(({ event, properties }) => {
        const time = inMs ? properties.time : Math.floor(properties.time / 1000)
        return `${JSON.stringify({ event, properties: { ...properties, time } })}\n`
      })
    let body = shuffled(lines, this.random).join('')
    if (struck === 'terminated') {
      body = `${body.slice(0, Math.floor(this.random() * body.length))}\nexport terminated early\n`
    }
    if (this.#options.plain) return { status: 200, headers: { 'content-type': 'text/plain' }, body }
    return {
      status: 200,
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: gzipSync(body, { level: 1 }),
    }
  }

  #engage(form: URLSearchParams): Reply {
    const page = Number(form.get('page') ?? 0)
    if (page > 0 && form.get('session_id') !== 'session-1') return { status: 400, body: 'no such session' }
    const group = form.get('data_group_id')
    const all = (group === null ? this.#options.profiles : this.#options.groupProfiles?.[group]) ?? []
    const results = all.slice(page * PAGE, (page + 1) * PAGE).join(',\n')
    const head = `"page":${page},"page_size":${PAGE},"session_id":"session-1","status":"ok","total":${all.length}`
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: `{${head},"results":[${results}]}`,
    }
  }
}
