import { PosthaulError } from '../errors.ts'
import type { Clock } from '../sources/clock.ts'

/** No more than `requests` in any `perMs` milliseconds. */
export interface Limit {
  readonly requests: number
  readonly perMs: number
}

export interface RateLimiterOptions {
  readonly limits: readonly Limit[]
  readonly clock: Clock
  /** When earlier runs asked (ms since the epoch, oldest first): a restart begins no new hour. */
  readonly asked?: readonly number[]
  /** Called before a request goes out, with the requests that still count, this one included. */
  readonly remember?: (asked: readonly number[]) => Promise<void>
}

/**
 * Lets requests out one by one, under the vendor's quota and its wish for a pause. The log of request times slides:
 * no span of any limit's length, wherever it begins, holds more requests than the limit, whatever runs it is made of.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #longest: number
  #asked: number[]
  #closedUntil = 0
  #line: Promise<void> = Promise.resolve()

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#longest = Math.max(0, ...options.limits.map((limit) => limit.perMs))
    // A clock set back between two runs would leave times to come: they would hold everything up.
    const now = options.clock.wall()
    this.#asked = (options.asked ?? []).filter((at) => at <= now)
  }

  /** Resolves when the next request may go out, in the order of the calls. */
  enter(signal: AbortSignal): Promise<void> {
    const turn = this.#line.then(() => this.#pass(signal))
    this.#line = turn.catch(() => undefined)
    return turn
  }

  /** Lets nothing out for `ms`: the vendor asked for it. */
  hold(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#options.clock.wall() + ms)
  }

  /** The least time that so many more requests take, in milliseconds. */
  leastMs(requests: number): number {
    return this.#wait(requests)
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { clock, remember } = this.#options
    for (;;) {
      if (signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
      const wait = this.#wait(1)
      if (wait <= 0) break
      await clock.sleep(wait, signal)
    }
    const now = clock.wall()
    this.#asked = this.#asked.filter((at) => at > now - this.#longest)
    if (this.#longest > 0) this.#asked.push(now)
    await remember?.(this.#asked)
  }

  /** How long until the `n`th request from now may go out, if the ones before it go as early as they may. */
  #wait(n: number): number {
    const now = this.#options.clock.wall()
    let wait = this.#closedUntil - now
    for (const { requests, perMs } of this.#options.limits) {
      const recent = this.#asked.filter((at) => at > now - perMs)
      let place = recent.length + n - 1
      let spans = 0
      // Each request follows the one `requests` places ahead of it by a whole span.
      for (; place >= recent.length && place >= requests; place -= requests) spans++
      wait = Math.max(wait, (recent[place] ?? now) + spans * perMs - now)
    }
    return wait
  }
}
