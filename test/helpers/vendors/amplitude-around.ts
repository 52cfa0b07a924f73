import { jsonReply } from './days.ts'
import type { Reply, Seen } from './fake.ts'

type Row = Readonly<Record<string, unknown>>

/** What a team has written around its events, as Amplitude answers it. */
export interface AmplitudeTeam {
  readonly categories: readonly string[]
  readonly events: readonly Row[]
  /** By event type; those that events share under ''. */
  readonly eventProperties: Readonly<Record<string, readonly Row[]>>
  readonly userProperties: readonly Row[]
  readonly groupProperties: readonly Row[]
  readonly annotations: readonly Row[]
  /** `members`: how many there are. */
  readonly cohorts: readonly (Row & { readonly id: string; readonly members: number })[]
}

export interface TeamSizes {
  readonly events: number
  /** Of events and of persons together. */
  readonly properties: number
  readonly annotations: number
  /** Members of each cohort. */
  readonly cohorts: readonly number[]
}

const UNITS = ['order', 'page', 'plan', 'team', 'invoice', 'search', 'video', 'level'] as const
const DEEDS = ['opened', 'paid', 'changed', 'left', 'shared', 'über "quoted" & 100%/?'] as const

/** A made-up team. The same seed makes the same. */
export function amplitudeTeam(
  { events, properties, annotations, cohorts }: TeamSizes,
  random: () => number,
): AmplitudeTeam {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const chance = (share: number) => random() < share
  const words = () => (chance(0.8) ? `What happens:\n${one(UNITS)} # ${one(DEEDS)}` : null)
  const property = (key: string, name: string): Row => ({
    ...{ [key]: name, description: words() },
    ...{ type: one(['string', 'number', 'boolean', 'enum', 'any', null]), regex: null },
    ...{ enum_values: chance(0.1) ? 'a, b' : null, is_array_type: chance(0.1), is_hidden: chance(0.1) },
  })
  const names = Array.from({ length: events }, (_, n) => `${UNITS[n % 8]} ${DEEDS[n % 6]} ${n}`)
  // Each property is described for one event or two.
  const byEvent: Record<string, Row[]> = { '': [] }
  for (const name of names) byEvent[name] = []
  for (let n = 0; n < Math.floor(properties * 0.8); n++) {
    const told = property('event_property', `property ${n}`)
    for (const event of new Set([names[n % events]!, one(names)]))
      byEvent[event]!.push({ ...told, event_type: event, is_required: false })
  }
  const persons = properties - Math.floor(properties * 0.8)
  return {
    categories: ['Growth', 'Empty'],
    events: names.map((name) => ({
      ...{ event_type: name, category: chance(0.5) ? { name: 'Growth' } : null, description: words() },
      ...{ display_name: chance(0.3) ? `The ${name}` : name, is_active: true, owner: null },
      ...{ tags: chance(0.3) ? ['core'] : [], is_hidden_from_dropdowns: chance(0.1), deleted: false },
    })),
    eventProperties: byEvent,
    userProperties: Array.from({ length: persons }, (_, n) => property('user_property', `gp:trait ${n}`)),
    groupProperties: [property('group_property', 'grp:seats')],
    annotations: Array.from({ length: annotations }, (_, n) => ({
      ...{ id: n + 1, label: `Release ${n}`, details: n % 3 ? null : `${one(DEEDS)}` },
      ...{ start: `2026-02-${String(1 + (n % 28)).padStart(2, '0')}T09:00:00+01:00`, end: null },
      ...{ category: n % 4 ? null : { id: 7, name: 'Releases' }, chart_id: null },
    })),
    cohorts: cohorts.map((members, n) => ({
      ...{ appId: 1, id: `c${n}`, name: n % 4 === 0 ? 'Best customers' : `Cohort ${n}`, members },
      ...{ archived: false, description: words(), size: members, lastComputed: 1_700_000_000 + n },
      ...{ definition: { version: 3, countGroup: 'User', andClauses: [] }, owners: ['a@example.com'] },
    })),
  }
}

/** Members that a file has besides their number: every 20th has no user id. */
export const userOf = (n: number): string => (n % 20 === 19 ? '' : `user ${n}`)
export const amplitudeIdOf = (n: number): string => String(900_000_000_000 + n)

/** A cohort of more members than this is at a signed address. */
const LARGE = 1000
const TAXONOMY_PER_HOUR = 7200
const ORDERS_PER_10_MINUTES = 60

export interface TeamOptions {
  readonly team: AmplitudeTeam
  /** Statuses and words in place of answers, by the beginning of the path. */
  readonly refuses?: Readonly<Record<string, readonly [status: number, body: string]>>
  /** How many times a state says that it is still being prepared. */
  readonly polls?: number
  /** Orders that come to nothing, by cohort. */
  readonly failed?: Readonly<Record<string, number>>
  readonly now?: () => number
}

/** The APIs of the taxonomy, of annotations and of cohorts. */
export class FakeTeam {
  readonly #options: TeamOptions
  readonly #spent: Record<string, number[]> = {}
  readonly #orders: { readonly cohort: string; polls: number; readonly fails: boolean }[] = []

  constructor(options: TeamOptions) {
    this.#options = options
  }

  /** The answer to a signed address, which takes no key; undefined for another path. */
  signed({ url, authorization }: Seen): Reply | undefined {
    const [, order] = /^\/signed\/(\d+)$/.exec(url.pathname) ?? []
    if (order === undefined) return undefined
    if (authorization !== '' || url.searchParams.get('X-Amz-Signature') !== 's'.repeat(20))
      return { status: 403, body: '<Error>SignatureDoesNotMatch</Error>' }
    return this.#file(Number(order))
  }

  reply({ url }: Seen): Reply | undefined {
    const { team, refuses = {} } = this.#options
    const refused = Object.entries(refuses).find(([path]) => url.pathname.startsWith(path))
    if (refused) return { status: refused[1][0], body: refused[1][1] }
    const path = url.pathname
    if (path.startsWith('/api/2/taxonomy/')) return this.#taxonomy(path.slice(16), url.searchParams)
    if (path === '/api/3/annotations') return jsonReply({ data: team.annotations })
    if (path === '/api/2/annotations') return jsonReply({ data: team.annotations.map(dayOf) })
    if (path === '/api/3/cohorts')
      return jsonReply({ cohorts: team.cohorts.map(({ members: _, ...cohort }) => cohort) })
    const [, act, id = '', file] =
      /^\/api\/5\/cohorts\/(request|request-status)\/([^/]+)(\/file)?$/.exec(path) ?? []
    if (act === undefined) return undefined
    if (file !== undefined) return this.#download(Number(id), url)
    return act === 'request' ? this.#order(decodeURIComponent(id)) : this.#state(Number(id))
  }

  #taxonomy(kind: string, query: URLSearchParams): Reply {
    if (!this.#allows('taxonomy', TAXONOMY_PER_HOUR, 3_600_000)) return tooMany()
    const { team } = this.#options
    const event = query.get('event_type') ?? ''
    const lists: Readonly<Record<string, readonly unknown[] | undefined>> = {
      category: team.categories.map((name, at) => ({ id: at + 1, name })),
      event: team.events.filter(({ deleted }) => query.has('showDeleted') || deleted !== true),
      'event-property': Object.hasOwn(team.eventProperties, event) ? team.eventProperties[event] : undefined,
      'user-property': team.userProperties,
      'group-property': team.groupProperties,
    }
    const data = lists[kind]
    if (data) return jsonReply({ success: true, data })
    return jsonReply({ success: false, errors: [{ message: 'Not found' }] }, 400)
  }

  #order(id: string): Reply {
    if (!this.#allows('cohorts', ORDERS_PER_10_MINUTES, 600_000)) return tooMany()
    const { team, polls = 0, failed = {} } = this.#options
    if (!team.cohorts.some((cohort) => cohort.id === id)) return jsonReply({ error: 'no such cohort' }, 404)
    const before = this.#orders.filter(({ cohort }) => cohort === id).length
    this.#orders.push({ cohort: id, polls, fails: before < (failed[id] ?? 0) })
    return jsonReply({ request_id: String(this.#orders.length - 1), cohort_id: id }, 202)
  }

  #state(at: number): Reply {
    const order = this.#orders[at]
    if (!order) return jsonReply({ error: 'no such request' }, 404)
    const told = { request_id: String(at), cohort_id: order.cohort }
    if (order.polls-- > 0) return jsonReply({ ...told, async_status: 'JOB INPROGRESS' }, 202)
    return jsonReply({ ...told, async_status: order.fails ? 'JOB FAILED' : 'JOB COMPLETED' })
  }

  #download(at: number, url: URL): Reply {
    if (this.#members(at) <= LARGE) return this.#file(at)
    const location = `${url.origin}/signed/${at}?X-Amz-Signature=${'s'.repeat(20)}`
    return { status: 302, headers: { location }, body: '' }
  }

  #file(at: number): Reply {
    const lines = Array.from({ length: this.#members(at) }, (_, n) => `${amplitudeIdOf(n)},${userOf(n)}\n`)
    return {
      ...{ status: 200, headers: { 'content-type': 'text/csv' } },
      body: `amplitude_id,user_id\n${lines.join('')}`,
    }
  }

  #members(at: number): number {
    const id = this.#orders[at]?.cohort
    return this.#options.team.cohorts.find((cohort) => cohort.id === id)?.members ?? 0
  }

  #allows(quota: string, most: number, perMs: number): boolean {
    const now = (this.#options.now ?? Date.now)()
    const recent = (this.#spent[quota] ?? []).filter((at) => at > now - perMs)
    this.#spent[quota] = [...recent, now]
    return recent.length < most
  }
}

function tooMany(): Reply {
  return { status: 429, headers: { 'retry-after': '1' }, body: 'Exceeded rate limit' }
}

function dayOf({ id, label, start, details }: Row): Row {
  return { id, label, date: String(start).slice(0, 10), details }
}
