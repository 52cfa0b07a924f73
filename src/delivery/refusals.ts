import { PosthaulError } from '../errors.ts'

/** The run pauses at this many refusals in a row: the events are hardly at fault. */
const MOST_IN_A_ROW = 20

/**
 * The service's refusals of single events, numbered from 1. One alone does not tell whether the event is bad or whatever
 * answers takes none at all. So a refusal is in doubt until the service takes an event that was sent after it.
 */
export class Refusals {
  /** How many there were: the number of the last one. */
  count = 0
  #confirmed = 0
  #reason = ''
  readonly #accepted: boolean

  /** `accepted`: the user says that the events are bad, so none is in doubt. */
  constructor(accepted: boolean) {
    this.#accepted = accepted
  }

  /** Those up to this number are not in doubt. */
  get confirmed(): number {
    return this.#accepted ? this.count : this.#confirmed
  }

  /** How many are in doubt. */
  get inDoubt(): number {
    return this.count - this.confirmed
  }

  /** Counts a refusal and returns its number. Throws `paused` at the last of too many in a row. */
  add(reason: string): number {
    this.count++
    this.#reason = reason
    if (this.inDoubt < MOST_IN_A_ROW) return this.count
    throw this.paused(`the service refused ${this.inDoubt} events in a row and took none between`)
  }

  /** The service took an event. Its request was begun when there were `count` refusals. */
  confirm(count: number): void {
    this.#confirmed = Math.max(this.#confirmed, count)
  }

  /** The refused events that are in doubt, in words. */
  get words(): string {
    return this.inDoubt === 1 ? 'the last event' : `the last ${this.inDoubt} events`
  }

  /** The pause over refusals that are in doubt. */
  paused(what: string): PosthaulError {
    return new PosthaulError(`${what}: ${this.#reason}`, {
      code: 'paused',
      hint:
        'they wait in the checkpoint: none is lost, and none is a reject. Check the project, the key and what stands ' +
        'between, such as a proxy; then run the same command again. If the events themselves are bad, add ' +
        '--accept-refusals, which makes rejects of them',
    })
  }
}
