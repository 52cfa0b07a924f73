import { createHash } from 'node:crypto'
import { dayIn, daysOf, jsonReply } from './days.ts'
import type { Reply } from './fake.ts'
import type { MixpanelEvent } from './mixpanel.ts'
import { expression } from './mixpanel-expression.ts'
import { funnelCounts, type SavedFunnel } from './mixpanel-funnels.ts'
import { peopleOf } from './mixpanel-people.ts'

/** What a fake's query API knows. */
export interface QueryData {
  /** The events that its reports show: no copies, none that are hidden. */
  readonly events: readonly MixpanelEvent[]
  readonly zone: string
  /** The share of the people that answers look at; 1 for all of them. */
  readonly sampling: number
  readonly funnels: readonly SavedFunnel[]
  /** What is answered for saved reports, by the number of their bookmark. */
  readonly insights: Readonly<Record<string, unknown>>
}

const DAY_MS = 86_400_000
const PERIOD_DAYS = { day: 1, week: 7, month: 30 } as const
type Unit = keyof typeof PERIOD_DAYS

/** Answers of Mixpanel's query API, by its reference (docs.mixpanel.com/reference/query-api). */
export class MixpanelQueries {
  readonly #data: QueryData
  readonly #personOf: (event: MixpanelEvent) => string
  readonly #sampled: readonly MixpanelEvent[]

  constructor(data: QueryData) {
    this.#data = data
    this.#personOf = peopleOf(data.events)
    this.#sampled =
      data.sampling === 1
        ? data.events
        : data.events.filter((event) => share(this.#personOf(event)) < data.sampling)
  }

  /** Undefined for a path that is none of these. Throws for parameters that Mixpanel refuses. */
  answer(path: string, query: URLSearchParams): Reply | undefined {
    if (path === '/events/names') return this.#names(query)
    if (path === '/events') return this.#counts(query, namesIn(query), undefined)
    if (path === '/segmentation') return this.#segmentation(query)
    if (path === '/segmentation/sum') return this.#sum(query)
    if (path === '/retention') return this.#retention(query)
    if (path === '/funnels/list')
      return jsonReply(this.#data.funnels.map(({ id, name }) => ({ funnel_id: id, name })))
    if (path === '/funnels') return this.#funnel(query)
    if (path === '/insights') return jsonReply(this.#data.insights[required(query, 'bookmark_id')])
    return undefined
  }

  #names(query: URLSearchParams): Reply {
    requireType(query)
    const { events } = this.#data
    // Spread into arguments, a long history would not fit on the stack.
    const newest = events.reduce((most, { properties: { time } }) => Math.max(most, time), 0)
    const recent = events.filter(({ properties }) => properties.time > newest - 31 * DAY_MS)
    return jsonReply(
      [...new Set(recent.map(({ event }) => event))].slice(0, Number(query.get('limit') ?? 255)),
    )
  }

  #segmentation(query: URLSearchParams): Reply {
    if (query.get('unit') === 'week') throw new RangeError('unit must be minute, hour, day or month')
    const on = query.get('on')
    const value = on === null ? undefined : expression(on)
    return this.#counts(query, [required(query, 'event')], (event) => {
      return value === undefined ? event.event : String(value(event.properties) ?? 'undefined')
    })
  }

  /** Events or people of names, by bucket and by a key: the name, or the value of a property. */
  #counts(
    query: URLSearchParams,
    names: readonly string[],
    keyOf: ((event: MixpanelEvent) => string) | undefined,
  ): Reply {
    const unique = requireType(query) === 'unique'
    const bucketOf = this.#bucketing(query)
    const seen = new Map<string, Map<string, Set<string> | number>>()
    const named = new Set(names)
    for (const event of this.#matching(query.get('where'))) {
      const bucket = named.has(event.event) ? bucketOf(event) : undefined
      if (bucket === undefined) continue
      const key = keyOf?.(event) ?? event.event
      const counts = seen.get(key) ?? new Map<string, Set<string> | number>()
      seen.set(key, counts)
      const before = counts.get(bucket)
      if (unique)
        counts.set(bucket, (before instanceof Set ? before : new Set<string>()).add(this.#personOf(event)))
      else counts.set(bucket, (typeof before === 'number' ? before : 0) + 1)
    }
    const keys = query.get('on') === null ? names : this.#frequent(seen, query)
    const series = this.#buckets(query)
    const values = Object.fromEntries(
      keys.map((key) => [
        key,
        Object.fromEntries(series.map((at) => [at, this.#scaled(sizeOf(seen.get(key)?.get(at)))])),
      ]),
    )
    return this.#reply({ legend_size: keys.length, data: { series, values } })
  }

  #frequent(
    seen: ReadonlyMap<string, ReadonlyMap<string, Set<string> | number>>,
    query: URLSearchParams,
  ): string[] {
    const total = (key: string) =>
      [...seen.get(key)!.values()].reduce((sum: number, one) => sum + sizeOf(one), 0)
    return [...seen.keys()].sort((a, b) => total(b) - total(a)).slice(0, Number(query.get('limit') ?? 60))
  }

  #sum(query: URLSearchParams): Reply {
    if (!['day', 'hour'].includes(query.get('unit') ?? 'day'))
      throw new RangeError('unit must be hour or day')
    const [name, on] = [required(query, 'event'), expression(required(query, 'on'))]
    const bucketOf = this.#bucketing(query)
    const results = Object.fromEntries(this.#buckets(query).map((day) => [day, 0]))
    for (const event of this.#matching(query.get('where'))) {
      const day = event.event === name ? bucketOf(event) : undefined
      const value = on(event.properties)
      if (day !== undefined) results[day]! += typeof value === 'number' ? value : 0
    }
    for (const day of Object.keys(results)) results[day] = this.#scaled(results[day]!, false)
    return this.#reply({ status: 'ok', computed_at: new Date(0).toISOString(), results })
  }

  /** Periods run from each person's own first event. */
  #retention(query: URLSearchParams): Reply {
    const unit = (query.get('unit') ?? 'day') as Unit
    const bucketOf = this.#bucketing(query)
    const returning = query.get('event')
    const back = this.#byPerson(
      this.#matching(query.get('where')).filter(({ event }) => returning === null || event === returning),
    )
    const cohorts = Object.fromEntries(
      this.#buckets(query).map((at) => [at, { first: 0, counts: [] as number[] }]),
    )
    const births =
      query.get('retention_type') === 'compounded' ? this.#everyPeriod(back, bucketOf) : this.#firsts(query)
    const [periods, length] = [Number(query.get('interval_count') ?? 1), PERIOD_DAYS[unit] * DAY_MS]
    for (const { person, born, at } of births) {
      const cohort = cohorts[at]!
      cohort.first++
      const came = new Set(
        (back.get(person) ?? []).map(({ properties }) => Math.floor((properties.time - born) / length)),
      )
      for (let n = 0; n < periods; n++) cohort.counts[n] = (cohort.counts[n] ?? 0) + (came.has(n) ? 1 : 0)
    }
    for (const cohort of Object.values(cohorts)) {
      cohort.first = this.#scaled(cohort.first)
      cohort.counts = cohort.counts.map((count) => this.#scaled(count))
    }
    return jsonReply(cohorts)
  }

  /** In one bucket, as an `interval` of all days has it: the fake knows no other. */
  #funnel(query: URLSearchParams): Reply {
    const funnel = this.#data.funnels.find(({ id }) => String(id) === query.get('funnel_id'))
    const [first, ...more] = this.#buckets(query)
    if (!funnel || first === undefined || more.length > 0) throw new RangeError('no such funnel or bucket')
    const counts = funnelCounts(this.#byPerson(this.#sampled).values(), funnel, query, this.#data.zone)
    const steps = funnel.steps.map((event, at) => {
      const selector = at === funnel.steps.length - 1 ? funnel.selector : undefined
      return {
        count: this.#scaled(counts[at]!),
        goal: event,
        event,
        ...(selector !== undefined && { selector }),
      }
    })
    const analysis = { completion: counts.at(-1), starting_amount: counts[0], steps: steps.length, worst: 1 }
    return jsonReply({ meta: { dates: [first] }, data: { [first]: { steps, analysis } } })
  }

  #firsts(query: URLSearchParams) {
    const bucketOf = this.#bucketing(query)
    const name = required(query, 'born_event')
    const starts = this.#matching(query.get('born_where')).filter((event) => {
      return event.event === name && bucketOf(event) !== undefined
    })
    return [...this.#byPerson(starts)].map(([person, [first]]) => {
      return { person, born: first!.properties.time, at: bucketOf(first!)! }
    })
  }

  #everyPeriod(
    events: ReadonlyMap<string, readonly MixpanelEvent[]>,
    bucketOf: (event: MixpanelEvent) => string | undefined,
  ) {
    return [...events].flatMap(([person, own]) => {
      const firsts = new Map<string, number>()
      for (const event of own) {
        const at = bucketOf(event)
        if (at !== undefined && !firsts.has(at)) firsts.set(at, event.properties.time)
      }
      return [...firsts].map(([at, born]) => ({ person, born, at }))
    })
  }

  /** The events of each person, the earliest first. */
  #byPerson(events: readonly MixpanelEvent[]): Map<string, MixpanelEvent[]> {
    const people = new Map<string, MixpanelEvent[]>()
    for (const event of [...events].sort((a, b) => a.properties.time - b.properties.time)) {
      const person = this.#personOf(event)
      const own = people.get(person)
      if (own) own.push(event)
      else people.set(person, [event])
    }
    return people
  }

  #matching(where: string | null): readonly MixpanelEvent[] {
    if (where === null) return this.#sampled
    const holds = expression(where)
    return this.#sampled.filter(({ properties }) => holds(properties) === true)
  }

  /** The bucket of an event, in days of the project's zone; undefined for one outside of the days that are asked for. */
  #bucketing(query: URLSearchParams): (event: MixpanelEvent) => string | undefined {
    const starts = this.#buckets(query)
    const last = required(query, 'to_date')
    const byDay = new Map<string, string>()
    starts.forEach((start, at) => {
      const end = starts[at + 1]
      for (const day of daysOf(start, last)) {
        if (end !== undefined && day >= end) break
        byDay.set(day, start)
      }
    })
    const first = required(query, 'from_date')
    return ({ properties: { time } }) => {
      const day = dayIn(this.#data.zone, time)
      return day >= first && day <= last ? byDay.get(day) : undefined
    }
  }

  /** The first days of the buckets. Weeks and months are those of the calendar; an `interval` begins with the first day. */
  #buckets(query: URLSearchParams): string[] {
    const days = daysOf(required(query, 'from_date'), required(query, 'to_date'))
    const unit = query.get('unit')
    if (unit === null) {
      const interval = Number(required(query, 'interval'))
      return days.filter((_, at) => at % interval === 0)
    }
    if (unit === 'day') return days
    if (unit === 'month') return [...new Set(days.map((day) => `${day.slice(0, 8)}01`))]
    if (unit !== 'week') throw new RangeError(`unit is ${unit}`)
    const monday = (day: string) => {
      const at = Date.parse(day)
      return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
    }
    return [...new Set(days.map(monday))]
  }

  #scaled(count: number, whole = true): number {
    const scaled = count / this.#data.sampling
    return whole ? Math.round(scaled) : scaled
  }

  #reply(answer: object): Reply {
    return jsonReply({ ...answer, meta: { min_sampling_factor: this.#data.sampling } })
  }
}

function sizeOf(counted: Set<string> | number | undefined): number {
  return counted instanceof Set ? counted.size : (counted ?? 0)
}

/** A number in [0, 1) that is the same for a person in every answer. */
function share(person: string): number {
  return createHash('sha256').update(person).digest().readUInt32BE(0) / 2 ** 32
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name)
  if (!value) throw new RangeError(`${name} is required`)
  return value
}

function requireType(query: URLSearchParams): string {
  const type = query.get('type') ?? 'general'
  if (!['general', 'unique'].includes(type)) throw new RangeError(`type is ${type}`)
  return type
}

function namesIn(query: URLSearchParams): string[] {
  required(query, 'unit')
  const names: unknown = JSON.parse(required(query, 'event'))
  if (!Array.isArray(names)) throw new RangeError('event must be a list')
  return names as string[]
}
