import type { Clock } from './clock.ts'
import type { Pacer } from './pacer.ts'
import type { Patience } from './patience.ts'

/** What every request passes before it starts: the shared pause after a failure, then the rate cap. */
export class Gate {
  readonly #pacer: Pacer
  readonly #patience: Patience
  readonly #clock: Clock

  constructor(pacer: Pacer, patience: Patience, clock: Clock) {
    this.#pacer = pacer
    this.#patience = patience
    this.#clock = clock
  }

  /** Resolves to true once `events` may go out, to false when `halt` aborts first. */
  async pass(events: number, halt: AbortSignal): Promise<boolean> {
    while (!halt.aborted) {
      const wait = this.#patience.remaining || this.#pacer.take(events)
      if (wait === 0) return true
      await this.#clock.sleep(wait, halt)
    }
    return false
  }
}
