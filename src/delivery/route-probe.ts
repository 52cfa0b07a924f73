import { MS_PER_MINUTE } from '../text/index.ts'
import type { Retry } from './verdict.ts'

/** So many tries must find /batch/ at work and Capture V1 not, before a 503 says that the service has no V1. */
const LEAST_TRIES = 3

/**
 * Tells for `--via auto` whether a service lacks Capture V1. A 404 says so at once. A 503 is also the answer of one that is
 * out of order for a while: it is waited out, and says so only by several tries over a minute at least.
 */
export class RouteProbe {
  readonly #batchWorks: () => Promise<boolean>
  readonly #now: () => number
  #tries = 0
  #since = 0
  /** A request got no answer that rules out that its events are stored, so they must not go the other way. */
  #mayBeStored = false

  /** `batchWorks` asks /batch/, without an event. `now`: milliseconds of a clock that only rises. */
  constructor(batchWorks: () => Promise<boolean>, now: () => number) {
    this.#batchWorks = batchWorks
    this.#now = now
  }

  /** Weighs the answer to a request of Capture V1 that failed. True if events are to go by /batch/. */
  async lacksV1({ noRoute }: Retry): Promise<boolean> {
    if (noRoute === 'absent') return true
    if (!noRoute) this.#mayBeStored = true
    if (!noRoute || this.#mayBeStored || !(await this.#batchWorks())) {
      this.#tries = 0
      return false
    }
    if (this.#tries === 0) this.#since = this.#now()
    this.#tries++
    return this.#tries >= LEAST_TRIES && this.#now() - this.#since >= MS_PER_MINUTE
  }
}
