import type { DuckDBConnection } from '@duckdb/node-api'
import { sum } from '../../../text/index.ts'
import { all, eventsOf, since, within } from './conditions.ts'
import type { FunnelsQuery } from './form.ts'

const UNIT_SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800, month: 31 * 86_400 }
const MICROS_PER_SECOND = 1_000_000n

/** A try to go through the funnel: when each of its steps so far was taken, in microseconds. */
type Attempt = readonly bigint[]

/**
 * One person's way. Of each number of steps only the newest try is kept: a first step begins a new one in place of the
 * old, and a step goes on from the newest try that stands before it. The window counts from the try's first step.
 */
class Walk {
  readonly #newest: (Attempt | undefined)[] = []
  readonly #window: bigint
  /** The first try that got furthest. */
  furthest: Attempt = []

  constructor(window: bigint) {
    this.#window = window
  }

  /** Takes what the person did at one instant: each event's steps, from 1. One event is no two steps of a try. */
  take(at: bigint, events: readonly (readonly number[])[]): void {
    const used = new Map<Attempt, ReadonlySet<number>>()
    const moves = events.flatMap((steps, event) => steps.map((step) => ({ step, event })))
    // Several events at one instant count in the order of the steps, one event's steps from the last to the first.
    const isOne = new Set(events.map(String)).size === 1
    moves.sort((a, b) =>
      isOne ? a.event - b.event || b.step - a.step : a.step - b.step || a.event - b.event,
    )
    for (const { step, event } of moves) {
      const before = step === 1 ? [] : this.#newest[step - 1]
      if (!before || (before.length > 0 && at - before[0]! > this.#window)) continue
      if (!isOne && used.get(before)?.has(event)) continue
      // Who took this step in this try already stays with the earlier time.
      if (step > 1 && this.#newest[step]?.[0] === before[0]) continue
      const attempt = [...before, at]
      used.set(attempt, new Set([...(used.get(before) ?? []), event]))
      this.#newest[step] = attempt
      if (step > this.furthest.length) this.furthest = attempt
    }
  }
}

/** Answers a FunnelsQuery: ordered steps, any other events between them. */
export async function answerFunnel(connection: DuckDBConnection, query: FunnelsQuery) {
  const { series, funnelsFilter } = query
  const { funnelWindowInterval, funnelWindowIntervalUnit } = funnelsFilter
  const window = BigInt(funnelWindowInterval * UNIT_SECONDS[funnelWindowIntervalUnit]) * MICROS_PER_SECOND
  const tally = new Tally(series.length)
  let walk = new Walk(window)
  let who: string | undefined
  for await (const { person, at, events } of instants(connection, await stepsSql(query))) {
    if (person !== who) {
      tally.add(walk.furthest)
      walk = new Walk(window)
      who = person
    }
    walk.take(at, events)
  }
  tally.add(walk.furthest)
  return {
    results: series.map(({ event = null, custom_name = null }, order) => ({
      action_id: event,
      name: event ?? 'All events',
      custom_name,
      order,
      type: 'events',
      people: [],
      ...tally.step(order),
    })),
  }
}

/** A query for the events that are steps: person, microseconds, and a column for each step. */
async function stepsSql({ series, dateRange, funnelsFilter, properties }: FunnelsQuery): Promise<string> {
  const steps = await Promise.all(series.map(eventsOf))
  const inRange = within(dateRange)
  // With `extend` only the first step must lie in the range; later ones may come after it, while the window lasts.
  const isExtended = funnelsFilter.funnelWindowBoundary === 'extend'
  if (isExtended) steps[0] = all([steps[0]!, inRange])
  const where = all([
    isExtended ? since(dateRange.date_from) : inRange,
    steps.map((step) => `(${step})`).join(' OR '),
    await eventsOf({ event: null, properties }),
  ])
  return `SELECT CAST(person_id AS VARCHAR) AS person, epoch_us(timestamp) AS micros, ${steps.join(', ')}
    FROM events WHERE ${where} ORDER BY person, micros`
}

/** What one person did at one instant: the steps of each event, from 1. */
interface Instant {
  readonly person: string
  readonly at: bigint
  readonly events: (readonly number[])[]
}

async function* instants(connection: DuckDBConnection, sql: string): AsyncGenerator<Instant> {
  let last: Instant | undefined
  for await (const rows of (await connection.stream(sql)).yieldRows()) {
    for (const [who, micros, ...isStep] of rows) {
      const [person, at] = [String(who), BigInt(String(micros))]
      const steps = isStep.flatMap((is, step) => (is === true ? [step + 1] : []))
      if (last?.person === person && last.at === at) {
        last.events.push(steps)
        continue
      }
      if (last) yield last
      last = { person, at, events: [steps] }
    }
  }
  if (last) yield last
}

/** How many came to each step, and how long it took them from the one before. */
class Tally {
  readonly #counts: number[]
  readonly #seconds: number[][]

  constructor(steps: number) {
    this.#counts = Array.from({ length: steps }, () => 0)
    this.#seconds = this.#counts.map(() => [])
  }

  add(attempt: Attempt): void {
    for (const [step, at] of attempt.entries()) {
      this.#counts[step]!++
      const took = step === 0 ? 0n : at - attempt[step - 1]!
      // A time of exactly 0 is left out.
      if (took > 0n) this.#seconds[step]!.push(Number(took) / Number(MICROS_PER_SECOND))
    }
  }

  step(order: number) {
    const seconds = this.#seconds[order]!.sort((a, b) => a - b)
    const count = this.#counts[order]!
    if (seconds.length === 0) return { count, average_conversion_time: null, median_conversion_time: null }
    const middle = (seconds.length - 1) / 2
    return {
      count,
      average_conversion_time: sum(seconds) / seconds.length,
      median_conversion_time: (seconds[Math.floor(middle)]! + seconds[Math.ceil(middle)]!) / 2,
    }
  }
}
