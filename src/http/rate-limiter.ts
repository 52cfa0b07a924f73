import { PosthaulError } from '../errors.ts'
import { MS_PER_MINUTE } from '../text/units.ts'
import type { Clock } from './clock.ts'

/** No more than `requests` in any `perMs` milliseconds. */
export interface Limit {
  readonly requests: number
  readonly perMs: number
  /** The limit in the user's words, shown when a request waits for it. */
  readonly why?: string
}

/** A wait worth telling the user about. */
export interface Wait {
  readonly ms: number
  readonly why: string
}

interface RateLimiterOptions {
  readonly limits: readonly Limit[]
  readonly clock: Clock
  /** When earlier runs sent requests (ms since the epoch, oldest first): a restart does not begin a new quota. */
  readonly asked?: readonly number[]
  /** Called before each request is sent, with the times of all requests that still count, including this one. */
  readonly remember?: (asked: readonly number[]) => Promise<void>
  readonly onWait?: (wait: Wait) => void
}

/**
 * Lets requests through one by one, within the server's limits and never during a pause. It keeps a log of request
 * times, also those of earlier runs: no span as long as a limit's, wherever it begins, holds more requests than that
 * limit.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #longest: number
  readonly #limits: Limit[]
  /** In ms since the epoch, so that the next run can use the log. */
  #asked: number[]
  /** The end of the pause, by the clock that never goes back. */
  #closedUntil = Number.NEGATIVE_INFINITY
  #closedWhy = ''
  /** Aborts when nobody waits long any more. */
  readonly #hastened = new AbortController()
  /** Resolves when the last caller in the queue has been let through. */
  #queue: Promise<void> = Promise.resolve()

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#limits = [...options.limits]
    this.#longest = Math.max(0, ...options.limits.map((limit) => limit.perMs))
    // If the clock was set back between two runs, the log has times in the future, which would block all requests.
    const now = options.clock.wall()
    this.#asked = (options.asked ?? []).filter((at) => at <= now)
  }

  /**
   * Resolves when the request may be sent, in the order of the calls. `onWait`: called before every wait. Throws
   * `interrupted` when `signal` aborts.
   */
  enter(signal: AbortSignal, onWait = this.#options.onWait): Promise<void> {
    const turn = this.#queue.then(() => this.#pass(signal, onWait))
    // A caller that gives up must not stop those after it.
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  get clock(): Clock {
    return this.#options.clock
  }

  /** Keeps a limit more from now on, of a span no longer than the longest. */
  add(limit: Limit): void {
    this.#limits.push(limit)
  }

  /** How many requests were sent in the last `perMs`, no longer than the longest span of a limit. */
  recent(perMs: number): number {
    const after = this.#options.clock.wall() - perMs
    return this.#asked.filter((at) => at > after).length
  }

  /** Lets no request through for `ms`. A shorter pause does not end a longer one. */
  hold(ms: number, why = 'the server asked for it'): void {
    const until = this.#options.clock.now() + ms
    if (until <= this.#closedUntil) return
    this.#closedUntil = until
    this.#closedWhy = why
  }

  /** Lets nobody wait long any more: who would wait over a minute gets this error. */
  hasten(error: PosthaulError): void {
    this.#hastened.abort(error)
  }

  /** The least time, in milliseconds, until this many more requests are sent. */
  leastMs(requests: number): number {
    return this.#wait(requests).ms
  }

  async #pass(signal: AbortSignal, onWait: RateLimiterOptions['onWait']): Promise<void> {
    const { clock, remember } = this.#options
    const hastened = this.#hastened.signal
    for (;;) {
      if (signal.aborted) {
        throw new PosthaulError('interrupted while waiting for the service', { code: 'interrupted' })
      }
      const wait = this.#wait(1)
      if (wait.ms <= 0) break
      if (hastened.aborted && wait.ms > MS_PER_MINUTE) throw hastened.reason
      onWait?.(wait)
      await clock.sleep(wait.ms, hastened.aborted ? signal : AbortSignal.any([signal, hastened]))
    }
    const now = clock.wall()
    this.#asked = this.#asked.filter((at) => at > now - this.#longest)
    if (this.#longest > 0) this.#asked.push(now)
    await remember?.(this.#asked)
  }

  /** How long until the `n`th request from now may be sent, if those before it are sent as early as possible. */
  #wait(n: number): Wait {
    const { clock } = this.#options
    const now = clock.wall()
    // What was asked before the clock was set back was asked by now: it would count until the old time comes again.
    this.#asked = this.#asked.map((at) => Math.min(at, now))
    let longest: Wait = { ms: Math.max(0, this.#closedUntil - clock.now()), why: this.#closedWhy }
    for (const { requests, perMs, why = '' } of this.#limits) {
      const recent = this.#asked.filter((at) => at > now - perMs)
      let place = recent.length + n - 1
      let spans = 0
      // Each request is at least one span later than the one `requests` places before it.
      for (; place >= recent.length && place >= requests; place -= requests) spans++
      const ms = (recent[place] ?? now) + spans * perMs - now
      if (ms > longest.ms) longest = { ms, why }
    }
    return longest
  }
}
