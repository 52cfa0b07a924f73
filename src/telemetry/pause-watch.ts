import { MS_PER_MINUTE } from '../text/index.ts'

/** Somebody is told of waits that have lasted so long without progress. */
const LONG_MS = 5 * MS_PER_MINUTE

/** Notices when a run gets nowhere: once for each time that it is stuck. */
export class PauseWatch {
  #stuck: { readonly since: number; readonly done: number; isTold: boolean } | undefined

  /**
   * Notes a wait of `waitMs` that begins at `now`; `done` is what the run has done so far. Returns for how many
   * milliseconds there will have been no progress then, if that is long and was not told.
   */
  wait(now: number, waitMs: number, done: number): number | undefined {
    if (this.#stuck?.done !== done) this.#stuck = { since: now, done, isTold: false }
    const lasts = now - this.#stuck.since + waitMs
    if (lasts < LONG_MS || this.#stuck.isTold) return undefined
    this.#stuck.isTold = true
    return lasts
  }
}
