import type { ImportRun } from '../../delivery/import-run.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import type { PaceOrder } from '../../imports/import-order.ts'
import type { Io } from '../../io.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { type Progress, startProgress } from '../../telemetry/progress.ts'

/** What a run tells the user. Before its progress is shown, notes are kept, and waits are not told. */
export class Voice {
  readonly #early: string[] = []
  #progress: Progress | undefined

  readonly note = (text: string): void => {
    if (this.#progress) this.#progress.note(text, 'warn')
    else this.#early.push(text)
  }

  readonly retrying = (reason: string, waitMs: number, cause: string): void => {
    this.#progress?.retrying(reason, waitMs, cause)
  }

  readonly holding = (waitMs: number): void => this.#progress?.holding(waitMs)

  begin(progress: Progress): void {
    this.#progress = progress
    for (const text of this.#early) progress.note(text, 'warn')
  }
}

/** Shows how far an import has come. `reading`: how far the input is read by those who look at it first; undefined where nobody does. */
export function importProgress(
  run: ImportRun,
  { caps, lanes }: PaceOrder,
  reading: () => Advance | undefined,
  io: Io,
): Progress {
  const { perMinute } = caps
  return startProgress({
    telemetry: io.telemetry,
    label: 'import',
    perSecond: ratePerSecond({ perMinute, lanes }),
    look: () => {
      const { delivered: events, rejected, pending, unconfirmed, ...bytes } = run.progress
      const counts = {
        written: events,
        rejected,
        ...(pending !== undefined && { pending }),
        ...(unconfirmed !== undefined && { unconfirmed }),
      }
      return { ...(reading() ?? { ...bytes, events }), counts }
    },
  })
}
