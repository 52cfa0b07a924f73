import type { ChartEvents, ChartFilter, ChartQuery, ChartSpan } from '../../src/charts/chart.ts'
import type { ChartCell } from '../../src/charts/chart-answer.ts'
import { PersonIndex } from '../../src/sandbox/store/identities.ts'
import type { TestEvent } from './events.ts'

/*
 * Answers charts by the plainest means: arrays, loops, Intl. People come from the sandbox, which has its own opinion of the
 * service's rule.
 */

interface Seen extends TestEvent {
  readonly at: number
  readonly day: string
  readonly person: string
}

export interface FunnelTries {
  readonly tries: 'newest' | 'first'
  readonly ends: 'clip' | 'extend'
  readonly returns?: 'rolling'
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const OTHER: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day that an instant (ms) is of in a zone. */
function dayIn(zone: string, at: number): string {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  formats.set(zone, format)
  return format.format(at)
}

/** By distinct_id, for events in the order of their arrival. */
export function peopleOf(events: readonly TestEvent[]): (id: string) => string {
  const index = new PersonIndex()
  const known = new Set<string>()
  for (const { event, distinct_id: distinctId, properties } of events) {
    if (properties.$process_person_profile === false) continue
    const other = properties[OTHER[event] ?? '']
    if (typeof other === 'string') index.apply({ event, distinctId, other, known: [...known] })
    known.add(distinctId)
  }
  return (id) => index.rootOf(id)
}

/** The cells of a chart. */
export function oracle(
  events: readonly TestEvent[],
  query: ChartQuery,
  { span, zone, rule }: { span: ChartSpan; zone: string; rule: FunnelTries },
): ChartCell[] {
  const personOf = peopleOf(events)
  const all = events.map((event): Seen => {
    const at = Date.parse(event.timestamp)
    return { ...event, at, day: dayIn(zone, at), person: personOf(event.distinct_id) }
  })
  if (query.kind === 'people') {
    const people = all.filter(({ properties }) => properties.$process_person_profile !== false)
    return cellsOf([['whole', null, new Set(people.map(({ person }) => person)).size]])
  }
  const inSpan = (from: readonly Seen[]) => from.filter(({ day }) => day >= span.first && day <= span.last)
  if (query.kind === 'funnel') return funnel(all, query, { span, rule })
  if (query.kind === 'retention' && rule.returns === 'rolling') return rollingRetention(all, query, span)
  return query.kind === 'retention' ? retention(inSpan(all), query, span) : series(inSpan(all), query, span)
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value))
}

function measured(events: readonly Seen[], measure: string, property: string | null): number {
  if (measure === 'count') return events.length
  if (measure === 'unique') return new Set(events.map(({ person }) => person)).size
  const numbers = events
    .map(({ properties }) => textOf(properties[property!]))
    .filter((text) => text !== undefined && text.trim() !== '' && Number.isFinite(Number(text)))
    .map(Number)
  const sum = numbers.reduce((all, one) => all + one, 0)
  return rounded(measure === 'sum' ? sum : sum / Math.max(1, numbers.length), 1e6)
}

function rounded(value: number, scale: number): number {
  return Math.round(value * scale) / scale
}

function counts({ event, properties }: Seen, asked: ChartEvents): boolean {
  return (
    (asked.event === null || asked.event === event) &&
    asked.where.every((filter) => passes(properties, filter))
  )
}

function passes(properties: TestEvent['properties'], { property, operator, values }: ChartFilter): boolean {
  const text = textOf(properties[property])
  if (operator === 'set') return text !== undefined
  if (operator === 'not_set') return text === undefined
  if (operator === 'is_not') return text === undefined || !values.includes(text)
  if (text === undefined) return false
  if (operator === 'is') return values.includes(text)
  if (operator === 'contains') return values.some((value) => text.toLowerCase().includes(value.toLowerCase()))
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return values.some((value) => (operator === 'over' ? number > Number(value) : number < Number(value)))
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function bucketOf(day: string, interval: string): string {
  if (interval === 'whole') return 'whole'
  if (interval === 'month') return `${day.slice(0, 8)}01`
  if (interval === 'day') return day
  const at = Date.parse(day)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10)
}

function endOf(bucket: string, interval: string): string {
  const at = Date.parse(bucket)
  if (interval === 'week') return new Date(at + 6 * DAY).toISOString().slice(0, 10)
  const date = new Date(at)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
}

function isWhole(bucket: string, interval: string, span: ChartSpan): boolean {
  if (interval === 'whole' || interval === 'day') return true
  return bucket >= span.first && endOf(bucket, interval) <= span.last
}

function periodsBetween(first: string, later: string, period: string): number {
  if (period === 'month') {
    const [a, b] = [new Date(first), new Date(later)]
    return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
  }
  return (Date.parse(later) - Date.parse(first)) / (period === 'week' ? 7 * DAY : DAY)
}

/** Tries every first step of a person, each with the earliest way on. */
function funnel(
  all: readonly Seen[],
  { steps, windowDays }: Extract<ChartQuery, { kind: 'funnel' }>,
  { span, rule }: { span: ChartSpan; rule: FunnelTries },
): ChartCell[] {
  const isIn = ({ day }: Seen) => day >= span.first && day <= span.last
  const reached = steps.map(() => 0)
  for (const person of new Set(all.map((event) => event.person))) {
    const own = all
      .filter((event) => event.person === person && event.day >= span.first)
      .filter((event) => rule.ends === 'extend' || isIn(event))
      .sort((a, b) => a.at - b.at)
    const firsts = own.filter((event) => isIn(event) && counts(event, steps[0]!))
    let best = 0
    for (const first of rule.tries === 'first' ? firsts.slice(0, 1) : firsts) {
      let [at, step] = [own.indexOf(first), 1]
      while (step < steps.length) {
        at = own.findIndex((event, place) => place > at && counts(event, steps[step]!))
        if (at < 0 || own[at]!.at - first.at > windowDays * DAY) break
        step++
      }
      best = Math.max(best, step)
    }
    for (let step = 0; step < best; step++) reached[step]!++
  }
  return cellsOf(reached.map((value, at) => [String(at + 1), null, value]))
}

function cellsOf(rows: ReadonlyArray<readonly [at: string, by: string | null, value: number]>): ChartCell[] {
  return rows.map(([at, by, value]) => ({ at, by, value })).filter(({ value }) => value !== 0)
}

/** Cells in an order of their own, to four digits after the point. */
export function sorted(cells: readonly ChartCell[]): ChartCell[] {
  const key = ({ at, by }: ChartCell) => `${at}\0${by ?? ''}`
  return cells
    .map((cell) => ({ ...cell, value: rounded(cell.value, 1e4) }))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function retention(
  own: readonly Seen[],
  query: Extract<ChartQuery, { kind: 'retention' }>,
  span: ChartSpan,
): ChartCell[] {
  const whole = (day: string) => isWhole(bucketOf(day, query.period), query.period, span)
  const seen = own.filter(({ day }) => whole(day))
  const starts = new Map<string, string>()
  for (const one of seen.filter((event) => counts(event, query.start))) {
    const bucket = bucketOf(one.day, query.period)
    const before = starts.get(one.person)
    if (before === undefined || bucket < before) starts.set(one.person, bucket)
  }
  const back = new Map<string, Set<string>>()
  for (const one of seen.filter((event) => counts(event, query.back))) {
    const start = starts.get(one.person)
    if (start === undefined) continue
    const after = periodsBetween(start, bucketOf(one.day, query.period), query.period)
    if (after > 0 && after < query.periods) add(back, `${start}+${after}`, one.person)
  }
  for (const [person, start] of starts) add(back, `${start}+0`, person)
  return cellsOf([...back].map(([at, people]) => [at, null, people.size]))
}

/** By windows from each start, days by the hour. */
function rollingRetention(
  all: readonly Seen[],
  { start, back, period, periods }: Extract<ChartQuery, { kind: 'retention' }>,
  span: ChartSpan,
): ChartCell[] {
  const inside = (day: string) =>
    day >= span.first && day <= span.last && isWhole(bucketOf(day, period), period, span)
  const people = new Map<string, Set<string>>()
  const end = bucketOf(period === 'day' ? span.last : lastWhole(span, period), period)
  for (const one of all) {
    if (!counts(one, start) || !inside(one.day)) continue
    const row = bucketOf(one.day, period)
    add(people, `${row}+0`, one.person)
    for (const other of all) {
      if (other.person !== one.person || !counts(other, back)) continue
      const hours = Math.floor(other.at / HOUR) - Math.floor(one.at / HOUR)
      const days = (Date.parse(other.day) - Date.parse(one.day)) / DAY
      const after = Math.floor(period === 'day' ? hours / 24 : days / (period === 'week' ? 7 : 30))
      if (after >= 1 && after < periods && periodsBetween(row, end, period) >= after)
        add(people, `${row}+${after}`, one.person)
    }
  }
  return cellsOf([...people].map(([at, who]) => [at, null, who.size]))
}

/** The first day of the last whole week or month. */
function lastWhole(span: ChartSpan, period: string): string {
  let bucket = bucketOf(span.last, period)
  if (endOf(bucket, period) > span.last)
    bucket = bucketOf(new Date(Date.parse(bucket) - DAY).toISOString().slice(0, 10), period)
  return bucket
}

function series(
  own: readonly Seen[],
  query: Extract<ChartQuery, { kind: 'series' }>,
  span: ChartSpan,
): ChartCell[] {
  const seen = own.filter(
    (event) => counts(event, query) && isWhole(bucketOf(event.day, query.interval), query.interval, span),
  )
  const divided = (event: Seen) => (query.by === null ? null : (textOf(event.properties[query.by]) ?? ''))
  const tally = new Map<string, number>()
  for (const event of seen) tally.set(String(divided(event)), (tally.get(String(divided(event))) ?? 0) + 1)
  const top = new Set(
    [...tally]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, 20)
      .map(([value]) => value),
  )
  const groups = new Map<string, Seen[]>()
  for (const event of seen) {
    const by = divided(event)
    if (by !== null && !top.has(by)) continue
    const key = JSON.stringify([bucketOf(event.day, query.interval), by])
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return cellsOf(
    [...groups].map(([key, some]) => {
      const [at, by] = JSON.parse(key)
      return [at, by, measured(some, query.measure, query.property)]
    }),
  )
}
