import { gzipSync } from 'node:zlib'
import { shuffled } from '../random.ts'
import { dayIn, daysOf, jsonReply } from './days.ts'
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
  /** The zone of the reports' days. UTC for a project from before 2023, whose times are its wall clock's. */
  readonly zone?: string
  /** When the days of the export begin, in milliseconds after midnight UTC: those of a project in another zone. */
  readonly dayStart?: number
  /** Events that the reports have, and the raw export lacks. */
  readonly lost?: (event: MixpanelEvent) => boolean
  /** Names that the reports do not have. */
  readonly hidden?: readonly string[]
  /** What the query API answers, whatever it is asked: 402 where the plan lacks it. */
  readonly refuses?: { readonly status: number; readonly body: string }
  /** Queries an hour. */
  readonly queries?: number
  /** The longest span of an export, in milliseconds; more is refused. */
  readonly longest?: number
}

const PAGE = 1000
const QUERY = '/api/query/'

/** Whom a FakeMixpanel knows. */
export const MIXPANEL_ENV = {
  MIXPANEL_PROJECT_ID: '42',
  MIXPANEL_SERVICE_ACCOUNT: 'service-user',
  MIXPANEL_SERVICE_SECRET: 'service-secret',
}

/** Mixpanel's raw export, its profiles and its reports. A second download of a day has another order. */
export class FakeMixpanel extends FakeVendor {
  events: readonly MixpanelEvent[]
  refuses: FakeMixpanelOptions['refuses']
  credentials = { user: 'service-user', secret: 'service-secret' }
  readonly #options: FakeMixpanelOptions
  #prepared: { readonly of: readonly MixpanelEvent[]; readonly shown: readonly MixpanelEvent[] } | undefined

  constructor(options: FakeMixpanelOptions) {
    super(options)
    this.#options = options
    this.events = options.events
    this.refuses = options.refuses
  }

  protected reply(seen: Seen, struck: MischiefKind | undefined): Reply {
    const { user, secret } = this.credentials
    const wanted = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
    if (seen.authorization !== wanted) return { status: 401, body: '{"error": "Invalid credentials"}' }
    if (seen.url.pathname.startsWith(QUERY)) return this.#query(seen)
    if (seen.url.pathname !== '/api/2.0/export') return { status: 404, body: 'no such page' }
    return this.#export(seen.url.searchParams, struck)
  }

  #export(query: URLSearchParams, struck: MischiefKind | undefined): Reply {
    const { dayStart = 0 } = this.#options
    const from = Date.parse(`${query.get('from_date')}T00:00:00Z`) + dayStart
    const to = Date.parse(`${query.get('to_date')}T00:00:00Z`) + 86_400_000 + dayStart
    if (to - from > (this.#options.longest ?? to)) return { status: 400, body: '{"error": "too long"}' }
    const names: unknown = JSON.parse(query.get('event') ?? 'null')
    const inMs = query.get('time_in_ms') === 'true'
    const lines = this.events
      .filter(({ properties: { time } }) => time >= from && time < to)
      .filter((event) => !this.#options.lost?.(event))
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

  #query({ url, at, body }: Seen): Reply {
    const { queries = 60 } = this.#options
    const hour = this.seen.filter(({ url, at: then }) => {
      return url.pathname.startsWith(QUERY) && then > at - 3_600_000
    })
    if (hour.length > queries) return { status: 429, body: '{"error": "rate limit exceeded"}' }
    if (url.pathname === `${QUERY}engage`) return this.#engage(new URLSearchParams(body))
    if (this.refuses) return this.refuses
    try {
      const { searchParams: asked } = url
      if (url.pathname === `${QUERY}events/names`) return names(asked, this.#reports())
      if (url.pathname === `${QUERY}events`)
        return counts(asked, this.#reports(), this.#options.zone ?? 'UTC')
      return { status: 404, body: 'no such page' }
    } catch (error) {
      return jsonReply({ error: String(error) }, 400)
    }
  }

  /** The reports of the events as they are now, which are long to prepare. */
  #reports(): readonly MixpanelEvent[] {
    if (this.#prepared?.of === this.events) return this.#prepared.shown
    const { hidden = [] } = this.#options
    const shown = deduplicated(this.events).filter(({ event }) => !hidden.includes(event))
    this.#prepared = { of: this.events, shown }
    return shown
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

/** Reports show events that are equal in these four once; one without an insert id is never a copy. */
function deduplicated(events: readonly MixpanelEvent[]): MixpanelEvent[] {
  const seen = new Set<string>()
  return events.filter(({ event, properties: { time, distinct_id: id, $insert_id: own } }) => {
    if (own === undefined) return true
    const key = JSON.stringify([event, time, id, own])
    return !seen.has(key) && seen.add(key)
  })
}

/** Names that were seen lately (docs.mixpanel.com/reference/query-api). */
function names(query: URLSearchParams, events: readonly MixpanelEvent[]): Reply {
  // Spread into arguments, a long history would not fit on the stack.
  const newest = events.reduce((most, { properties: { time } }) => Math.max(most, time), 0)
  const recent = events.filter(({ properties }) => properties.time > newest - 31 * 86_400_000)
  return jsonReply([...new Set(recent.map(({ event }) => event))].slice(0, Number(query.get('limit') ?? 255)))
}

/** The events of names by day, in days of the project's zone. */
function counts(query: URLSearchParams, events: readonly MixpanelEvent[], zone: string): Reply {
  const asked = JSON.parse(query.get('event') ?? '[]') as string[]
  const series = daysOf(query.get('from_date') ?? '', query.get('to_date') ?? '')
  const values = Object.fromEntries(
    asked.map((name) => [name, Object.fromEntries(series.map((day) => [day, 0]))]),
  )
  for (const { event, properties } of events) {
    const day = dayIn(zone, properties.time)
    const found = values[event]
    if (found?.[day] !== undefined) found[day]++
  }
  return jsonReply({ legend_size: asked.length, data: { series, values } })
}
