import { type AmplitudeEvent, holds, propertyOf, textOf } from './amplitude-properties.ts'
import { dayIn, daysOf, jsonReply } from './days.ts'
import type { Reply } from './fake.ts'

export type { AmplitudeEvent } from './amplitude-properties.ts'

interface ProjectOptions {
  readonly events: readonly AmplitudeEvent[]
  readonly zone: string
  /** Event types that no chart can show. */
  readonly hidden: readonly string[]
  /** Which amplitude_id was merged into which. */
  readonly merged: Readonly<Record<string, string>>
  /** The day on which its weeks begin: 1 for Monday. */
  readonly weekStart: number
  /** A day that its answers leave out. */
  readonly lacks: string | undefined
}

/** An event as charts see it: its time, its day in the project's zone, its user. */
interface Occurrence {
  readonly event: AmplitudeEvent
  readonly time: number
  readonly day: string
  readonly user: string
}

/** What Amplitude's charts know of a project. */
interface Project extends Pick<ProjectOptions, 'weekStart' | 'lacks' | 'hidden'> {
  /** The events that charts can show, by time. */
  readonly occurrences: readonly Occurrence[]
}

interface Asked {
  readonly event_type: string
  readonly filters?: readonly {
    readonly subprop_type: string
    readonly subprop_key: string
    readonly subprop_op: string
    readonly subprop_value: readonly string[]
  }[]
  readonly group_by?: readonly { readonly type: string; readonly value: string }[]
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UNSEEN = new Set(['$identify', '$groupidentify'])

/** What a request costs, by the table of the document. */
export function costOf({ pathname, searchParams: query }: URL): number {
  const events = eventsOf(query)
  const groups = events.filter(({ group_by: by }) => by !== undefined).length
  const kind = pathname.endsWith('/funnels')
    ? 2 * events.length + 4 * groups
    : pathname.endsWith('/retention')
      ? 8
      : events.length + 4 * groups
  return daysIn(query).length * kind
}

/** The Dashboard REST API, over the records that the export has. */
export class FakeDashboard {
  readonly #project: Project

  constructor({ events, zone, merged, ...options }: ProjectOptions) {
    const occurrences = events
      .filter(({ event_type: type }) => !UNSEEN.has(String(type)) && !options.hidden.includes(String(type)))
      .map((event) => {
        const time = timeOf(event)
        return { event, time, day: dayIn(zone, time), user: userOf(event, merged) }
      })
    occurrences.sort((a, b) => a.time - b.time)
    this.#project = { ...options, occurrences }
  }

  reply({ pathname, searchParams: query }: URL): Reply {
    const days = daysIn(query)
    if (days.length === 0 || (days.length > 365 && (query.get('i') ?? '1') === '1'))
      return { status: 400, body: 'bad range' }
    // What it doesn't play.
    const mode = query.get('mode') ?? 'ordered'
    if (mode !== 'ordered' || query.get('se')?.includes('"_all"'))
      return jsonReply({ error: 'Invalid query' }, 400)
    const charts = new Charts(this.#project, days, query)
    const refusals = eventsOf(query).map((asked) => charts.refusal(asked))
    const reason = refusals.find((one) => one !== undefined)
    if (reason !== undefined) return jsonReply({ error: reason }, 400)
    if (pathname === '/api/2/funnels') return jsonReply({ data: charts.funnel() })
    if (pathname === '/api/2/retention') return jsonReply({ data: charts.retention() })
    return jsonReply({ data: charts.segmentation() })
  }
}

function userOf(
  { amplitude_id: id, user_id: user, device_id: device }: AmplitudeEvent,
  merged: ProjectOptions['merged'],
) {
  let canonical = String(id ?? user ?? device)
  for (let into = merged[canonical]; into !== undefined; into = merged[into]) canonical = into
  return canonical
}

function eventsOf(query: URLSearchParams): Asked[] {
  return ['e', 'se', 're'].flatMap((name) => query.getAll(name)).map((text) => JSON.parse(text) as Asked)
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

class Charts {
  readonly #project: Project
  readonly #days: ReadonlySet<string>
  readonly #query: URLSearchParams

  constructor(project: Project, days: readonly string[], query: URLSearchParams) {
    this.#project = project
    this.#days = new Set(days)
    this.#query = query
  }

  /** Why an event can't be shown: it is hidden, or nothing has a property that it is asked with. */
  refusal({ event_type: type, filters = [], group_by: groups = [] }: Asked): string | undefined {
    if (this.#project.hidden.includes(type)) return `Invalid event type ${type}`
    const properties = [
      ...filters.map((filter) => [filter.subprop_type, filter.subprop_key] as const),
      ...groups.map((group) => [group.type, group.value] as const),
    ]
    const unknown = properties.find(([of, key]) => {
      return !this.#project.occurrences.some(({ event }) => propertyOf(event, of, key) !== undefined)
    })
    return unknown && `Invalid property ${unknown[1]}`
  }

  segmentation(): object {
    const [asked] = eventsOf(this.#query) as [Asked]
    const metric = this.#query.get('m') ?? 'uniques'
    const property = asked.group_by?.[0]
    const isDivided = property !== undefined && metric !== 'sums' && metric !== 'value_avg'
    const rows = new Map<string, Occurrence[]>(isDivided ? [] : [['', []]])
    for (const one of this.#matching(asked)) {
      if (!this.#days.has(one.day)) continue
      const value = isDivided
        ? (textOf(propertyOf(one.event, property.type, property.value)) ?? '(none)')
        : ''
      push(rows, value, one)
    }
    const order = [...rows].sort(([, a], [, b]) => b.length - a.length)
    const shown = order.slice(0, Number(this.#query.get('limit') ?? '100'))
    const measured = (events: readonly Occurrence[]) => measure(metric, events, property?.value)
    const starts = this.#starts()
    return {
      series: shown.map(([, events]) => {
        const byStart = new Map<string, Occurrence[]>()
        for (const one of events) push(byStart, this.#start(one.day), one)
        return starts.map((start) => measured(byStart.get(start) ?? []))
      }),
      seriesLabels: shown.map(([value]) => [0, isDivided ? value : asked.event_type]),
      seriesCollapsed: shown.map(([, events]) => [{ value: measured(events) }]),
      xValues: starts,
    }
  }

  /** Users by the furthest step of any of their tries. Later steps may lie after the span. */
  funnel(): object[] {
    const steps = eventsOf(this.#query)
    const windowMs = Number(this.#query.get('cs') ?? '2592000') * 1000
    const matching = steps.map((step) => new Set(this.#matching(step)))
    const reached = steps.map(() => 0)
    for (const events of this.#byUser().values()) {
      const tries = events.filter((one) => matching[0]!.has(one) && this.#days.has(one.day))
      const furthest = tries.map((first) => {
        let at = events.indexOf(first)
        const inTime = (one: Occurrence) => one.time - first.time <= windowMs
        for (let step = 1; step < steps.length; step++) {
          at = events.findIndex((one, place) => place > at && matching[step]!.has(one) && inTime(one))
          if (at === -1) return step
        }
        return steps.length
      })
      for (let step = 0; step < Math.max(0, ...furthest); step++) reached[step]!++
    }
    const cumulative = reached.map((users) => (reached[0] === 0 ? 0 : users / reached[0]!))
    const events = steps.map(({ event_type: type }) => type)
    const dayFunnels = { xValues: [...this.#days] }
    return [{ meta: { segmentIndex: 0 }, cumulativeRaw: reached, cumulative, events, dayFunnels }]
  }

  /** By windows of 24 hours from each start, rounded down to the hour; weeks and months by days. */
  retention(): object {
    const [se, re] = eventsOf(this.#query) as [Asked, Asked]
    const [starts, backs] = [new Set(this.#matching(se)), new Set(this.#matching(re))]
    const rows = this.#starts()
    const users = new Map(rows.map((row) => [row, rows.map(() => new Set<string>())]))
    for (const [user, events] of this.#byUser()) {
      for (const start of events) {
        if (!starts.has(start) || !this.#days.has(start.day)) continue
        const row = users.get(this.#start(start.day))!
        row[0]!.add(user)
        for (const back of events) {
          if (backs.has(back) && back.time >= start.time) row[this.#after(start, back)]?.add(user)
        }
      }
    }
    const values = [...users].map(([row, after]) => {
      const outof = after[0]!.size
      return [rowName(row), after.map(({ size: count }) => ({ count, outof, incomplete: false }))]
    })
    const series = [{ dates: rows.map(rowName).reverse(), values: Object.fromEntries(values), combined: [] }]
    return { series, seriesMeta: [{ segmentIndex: 0, eventIndex: 0 }] }
  }

  #after(start: Occurrence, back: Occurrence): number {
    const every = Number(this.#query.get('i') ?? '1')
    const [from, to] = [start, back].map(({ time }) => Math.floor(time / HOUR)) as [number, number]
    if (every === 1) return Math.floor((to - from) / 24)
    return Math.floor((Date.parse(back.day) - Date.parse(start.day)) / DAY / every)
  }

  #matching({ event_type: type, filters = [] }: Asked): Occurrence[] {
    return this.#project.occurrences.filter(({ event }) => {
      if (type !== '_all' && type !== '_active' && event.event_type !== type) return false
      return filters.every(
        ({ subprop_type: of, subprop_key: key, subprop_op: op, subprop_value: values }) => {
          return holds(op, propertyOf(event, of, key), values)
        },
      )
    })
  }

  #byUser(): Map<string, Occurrence[]> {
    const users = new Map<string, Occurrence[]>()
    for (const one of this.#project.occurrences) push(users, one.user, one)
    return users
  }

  #starts(): string[] {
    const told = [...this.#days].filter((day) => day !== this.#project.lacks)
    return [...new Set(told.map((day) => this.#start(day)))]
  }

  /** The first day of a day's week or month. */
  #start(day: string): string {
    const every = this.#query.get('i') ?? '1'
    if (every === '1') return day
    if (every === '30') return `${day.slice(0, 8)}01`
    const since = (new Date(day).getUTCDay() - this.#project.weekStart + 7) % 7
    return new Date(Date.parse(day) - since * DAY).toISOString().slice(0, 10)
  }
}

function measure(metric: string, events: readonly Occurrence[], property: string | undefined): number {
  if (metric === 'totals') return events.length
  if (metric === 'uniques') return new Set(events.map(({ user }) => user)).size
  const numbers = events
    .map(({ event }) => propertyOf(event, 'event', property!))
    .filter((value) => typeof value === 'number')
  const sum = numbers.reduce((total, one) => total + one, 0)
  return metric === 'sums' ? sum : numbers.length === 0 ? 0 : sum / numbers.length
}

function rowName(day: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'short', day: 'numeric' }).format(
    new Date(day),
  )
}

function push<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key)
  if (list) list.push(one)
  else lists.set(key, [one])
}
