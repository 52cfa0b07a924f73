import type { Wait } from '../delivery/verdict.ts'
import type { Clock } from './clock.ts'

/** How long failures are borne. */
export interface BackoffOptions {
  /** Milliseconds without a single acceptance after which the run gives up. */
  readonly retryForMs: number
  readonly clock: Pick<Clock, 'now' | 'wall'>
  /** In [0, 1). */
  readonly random: () => number
  /** The first wait is below this. Default 500 ms. */
  readonly baseMs?: number
}

const MOST_MS = 60_000

/**
 * The one pause that all lanes share. Waits are exponential with full jitter, so that neither lanes nor
 * machines come back in step; a wait the server asked for is the least of it.
 */
export class Backoff {
  readonly #options: Required<BackoffOptions>
  #until = 0
  #failures = 0
  /** When the present run of failures began. */
  #since: number | undefined

  constructor(options: BackoffOptions) {
    this.#options = { baseMs: 500, ...options }
  }

  /** Milliseconds until the next request may start. */
  get remaining(): number {
    return Math.max(0, this.#until - this.#options.clock.now())
  }

  /** A batch was accepted: whatever was wrong is over. */
  calm(): void {
    this.#failures = 0
    this.#since = undefined
  }

  /**
   * A request that started at `startedAt` failed. Returns the pause in milliseconds that all lanes now keep, or
   * undefined when the budget would be spent before it ends.
   */
  fail(startedAt: number, wait?: Wait): number | undefined {
    const { clock, random, retryForMs, baseMs } = this.#options
    const now = clock.now()
    this.#since ??= now
    const ceiling = Math.min(MOST_MS, baseMs * 2 ** Math.min(this.#failures, 16))
    const asked = wait === undefined ? 0 : 'afterMs' in wait ? wait.afterMs : wait.untilMs - clock.wall()
    // Lanes that were under way when another failed tell of the same trouble: that is one failure, not four.
    const same = this.#failures > 0 && startedAt < this.#until
    if (!same) this.#failures++
    const until = Math.max(this.#until, now + Math.max(asked, same ? 0 : random() * ceiling))
    if (until - this.#since > retryForMs) return undefined
    this.#until = until
    return until - now
  }
}
