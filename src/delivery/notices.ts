import type { IdOverlap } from '../record/index.ts'
import { number, plural } from '../text/index.ts'
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

/** `about 1,200 ids (give or take 150) are also in events-2023/, whose import is not at its end (…)`. */
export function sharedWords({
  ids,
  error,
  dataset,
  checkpoint,
}: Pick<IdOverlap, 'ids' | 'error'> & { readonly dataset: string; readonly checkpoint: string }): string {
  const many = error === 0 ? plural(ids, 'id') : `about ${number(ids)} ids (give or take ${number(error)})`
  const are = error === 0 && ids === 1 ? 'is' : 'are'
  return `${many} ${are} also in ${dataset}, whose import is not at its end (${checkpoint})`
}
