import type { PaceLog } from '../../delivery/index.ts'
import type { Progress } from '../../telemetry/progress.ts'

/** What a run tells the user. Before its progress is shown, notes are kept, and waits are not told. */
export class Voice {
  readonly #early: string[] = []
  #progress: Progress | undefined
  #pace: PaceLog | undefined

  readonly note = (text: string): void => {
    if (this.#progress) this.#progress.note(text, 'warn')
    else this.#early.push(text)
  }

  readonly retrying = (reason: string, waitMs: number, cause: string): void => {
    this.#pace?.waiting(waitMs, reason)
    this.#progress?.retrying(reason, waitMs, cause)
  }

  readonly holding = (waitMs: number): void => this.#progress?.holding(waitMs)

  begin(progress: Progress, pace: PaceLog): void {
    this.#progress = progress
    this.#pace = pace
    for (const text of this.#early) progress.note(text, 'warn')
  }
}
