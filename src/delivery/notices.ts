import type { Batcher } from './batcher.ts'
import type { Intake } from './intake.ts'

/** How often an event may have an earlier day than the one before it, until the user is told what that costs. */
export const MIXED_DAYS = 50
/** What it costs. */
export const MIXED_DAYS_TEXT =
  'the days in this file are mixed, so batches are small; `posthaul transform` sorts them'
// After this many lines without an event, the file is not in the service's own form.
const NO_EVENTS = 1000

/** What a user should know during a run. Each notice is given once. */
export class Notices {
  readonly #note: (text: string) => void
  readonly #told = new Set<string>()

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  /** Before anything is sent: tells if there are more events than the cap allows. */
  foresee(events: number | undefined, allowance: number): void {
    if (events === undefined || events <= allowance) return
    this.#tell('volume', 'the dataset holds more events than the volume cap allows: the run will stop there')
  }

  /** While the input is read: tells if its days are mixed, or if it has no events. */
  look(intake: Intake, batcher: Batcher): void {
    if (batcher.daysBack >= MIXED_DAYS) this.#tell('days', MIXED_DAYS_TEXT)
    if (intake.granted === 0 && intake.read >= NO_EVENTS) {
      this.#tell('form', "not one event so far; `posthaul transform` makes events of a vendor's records")
    }
  }

  /** At the first signal: tells that the run waits for the request under way. */
  draining(): void {
    this.#tell('drain', 'waiting for the request under way; a second signal ends the run at once')
  }

  #tell(about: string, text: string): void {
    if (this.#told.has(about)) return
    this.#told.add(about)
    this.#note(text)
  }
}
