import pLimit from 'p-limit'
import type { Clock } from '../http/clock.ts'
import { type Limit, RateLimiter, type Wait } from '../http/rate-limiter.ts'
import { MS_PER_HOUR, MS_PER_MINUTE } from '../text/units.ts'
import { span } from '../text/words.ts'

/** The service runs so many queries of a project at once; a fourth waits in its queue for up to 30 s. */
const AT_ONCE = 3
/** The documented limits, of all who query the project together. */
const LIMITS: readonly Limit[] = [
  { requests: 240, perMs: MS_PER_MINUTE, why: 'the service allows 240 queries a minute' },
  { requests: 2400, perMs: MS_PER_HOUR, why: 'the service allows 2400 queries an hour' },
]
/** Some projects have this limit. No answer names it: it is known by a refusal for longer than a minute. */
const LOW: Limit = { requests: 120, perMs: MS_PER_HOUR, why: 'low' }

/** So many refusals in a row are waited for, each for up to an hour. */
const MOST_REFUSALS = 8

type Told = (wait: Wait) => void

/** The turns of all parts of this process at the query endpoint of one project, whose limits are the project's. */
export class QueryTurns {
  readonly #slots = pLimit(AT_ONCE)
  readonly #limiter: RateLimiter
  #isLow = false

  constructor(clock: Clock) {
    this.#limiter = new RateLimiter({ limits: LIMITS, clock })
  }

  /**
   * Asks when it is this query's turn, and again where the limit of an hour is used up. `told` hears of every wait; `waitOf`
   * reads out of an error how long a refusal for a limit asks to wait.
   */
  async take<T>(
    signal: AbortSignal,
    { told, waitOf }: { readonly told: Told; readonly waitOf: (error: unknown) => number | undefined },
    ask: () => Promise<T>,
  ): Promise<T> {
    const tell: Told = ({ ms, why }) => told({ ms, why: why === LOW.why ? this.#lowText(ms) : why })
    const leave = await this.#slot()
    try {
      for (let tries = 1; ; tries++) {
        await this.#limiter.enter(signal, tell)
        try {
          return await ask()
        } catch (error) {
          const waitMs = waitOf(error) ?? 0
          if (waitMs <= MS_PER_MINUTE || waitMs > MS_PER_HOUR || tries >= MOST_REFUSALS) throw error
          this.#learn(waitMs)
        }
      }
    } finally {
      leave()
    }
  }

  /** Waits for a slot, and resolves to what gives it back. The query is asked outside, so that an error's stack names who asked. */
  #slot(): Promise<() => void> {
    return new Promise((given) => {
      void this.#slots(() => new Promise<void>(given))
    })
  }

  /** Lets no query through for `ms`. */
  hold(ms: number, why: string): void {
    this.#limiter.hold(ms, why)
  }

  #learn(waitMs: number): void {
    this.#limiter.hold(waitMs, LOW.why)
    // Whoever sent more than that has another limit, which others have used up.
    if (this.#isLow || this.#limiter.recent(MS_PER_HOUR) > LOW.requests + AT_ONCE) return
    this.#isLow = true
    this.#limiter.add(LOW)
  }

  #lowText(ms: number): string {
    const limit = this.#isLow ? `${LOW.requests} queries an hour` : 'no more queries in this hour'
    return `PostHog lets this project ask ${limit}: the next is asked in ${span(ms)}`
  }
}

const known = new WeakMap<Clock, Map<string, QueryTurns>>()

/** The turns at a query endpoint: the same for all who ask it by one clock. */
export function queryTurns(origin: string, path: string, clock: Clock): QueryTurns {
  const ofClock = known.get(clock) ?? new Map<string, QueryTurns>()
  known.set(clock, ofClock)
  const turns = ofClock.get(origin + path) ?? new QueryTurns(clock)
  ofClock.set(origin + path, turns)
  return turns
}
