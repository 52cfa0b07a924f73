import { PosthaulError } from '../errors.ts'
import type { Clock } from './clock.ts'

/** No more than `requests` in any `perMs` milliseconds. */
export interface Limit {
  readonly requests: number
  readonly perMs: number
  /** The limit in the user's words, told when a request waits for it. */
  readonly why?: string
}

/** A wait worth telling the user about. */
export interface Wait {
  readonly ms: number
  readonly why: string
}

export interface RateLimiterOptions {
  readonly limits: readonly Limit[]
  readonly clock: Clock
  /** When earlier runs sent requests (ms since the epoch, oldest first): a restart begins no new hour. */
  readonly asked?: readonly number[]
  /** Called before a request goes out, with the times of the requests that still count, this one included. */
  readonly remember?: (asked: readonly number[]) => Promise<void>
  /** Told of every wait before it begins. */
  readonly onWait?: (wait: Wait) => void
}

/**
 * Lets requests out one by one, within the server's limits and never during a pause it asked for. The log of request
 * times slides: no span of any limit's length, wherever it begins, holds more requests than the limit, however many
 * runs the log covers.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #longest: number
  /** Wall times, so that the log means the same to the next run. */
  #asked: number[]
  /** The end of the pause, on the clock that never goes back. */
  #closedUntil = Number.NEGATIVE_INFINITY
  #closedWhy = ''
  #line: Promise<void> = Promise.resolve()

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#longest = Math.max(0, ...options.limits.map((limit) => limit.perMs))
    // A clock that was set back between two runs leaves times to come in the log: they would hold everything up.
    const now = options.clock.wall()
    this.#asked = (options.asked ?? []).filter((at) => at <= now)
  }

  /** Resolves when the next request may go out, in the order of the calls. Code `interrupted` when `signal` aborts. */
  enter(signal: AbortSignal): Promise<void> {
    const turn = this.#line.then(() => this.#pass(signal))
    // A caller that gives up must not stop those after it.
    this.#line = turn.catch(() => undefined)
    return turn
  }

  /** Lets nothing out for `ms`. A shorter pause does not end a longer one. */
  hold(ms: number, why = 'the server asked for it'): void {
    const until = this.#options.clock.now() + ms
    if (until <= this.#closedUntil) return
    this.#closedUntil = until
    this.#closedWhy = why
  }

  /** The least time that so many more requests take, in milliseconds. */
  leastMs(requests: number): number {
    return this.#wait(requests).ms
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { clock, remember, onWait } = this.#options
    for (;;) {
      if (signal.aborted) {
        throw new PosthaulError('interrupted while waiting for the service', { code: 'interrupted' })
      }
      const wait = this.#wait(1)
      if (wait.ms <= 0) break
      onWait?.(wait)
      await clock.sleep(wait.ms, signal)
    }
    const now = clock.wall()
    this.#asked = this.#asked.filter((at) => at > now - this.#longest)
    if (this.#longest > 0) this.#asked.push(now)
    await remember?.(this.#asked)
  }

  /** How long until the `n`th request from now may go out, if the ones before it go as early as they may. */
  #wait(n: number): Wait {
    const { clock, limits } = this.#options
    const now = clock.wall()
    let longest: Wait = { ms: Math.max(0, this.#closedUntil - clock.now()), why: this.#closedWhy }
    for (const { requests, perMs, why = '' } of limits) {
      const recent = this.#asked.filter((at) => at > now - perMs)
      let place = recent.length + n - 1
      let spans = 0
      // Each request follows the one `requests` places ahead of it by a whole span.
      for (; place >= recent.length && place >= requests; place -= requests) spans++
      // A clock that is set back during a run must not make the wait longer than the spans.
      const ms = Math.min(recent[place] ?? now, now) + spans * perMs - now
      if (ms > longest.ms) longest = { ms, why }
    }
    return longest
  }
}
