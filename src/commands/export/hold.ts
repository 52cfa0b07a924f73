import { PosthaulError } from '../../errors.ts'
import type { Progress } from '../../report/progress.ts'
import type { Verdict } from '../../report/reconciled.ts'
import { reconcile } from '../../sources/counts/reconcile.ts'
import type { ExportState } from '../../sources/export-state.ts'
import type { Call, Source } from '../../sources/source.ts'
import type { Store } from '../../store/store.ts'

/** A finished export, and what its report is asked with. */
export interface Finished {
  readonly source: Source
  readonly store: Store
  readonly state: ExportState
  /** Without the calls that tell the user of a wait. */
  readonly call: Omit<Call, 'retry'> & { readonly retry: Omit<Call['retry'], 'onRetry'> }
  readonly progress: Progress
}

/** The verdict on an export, and the interrupt or the bug that kept it from being found. */
export interface Held {
  readonly verdict: Verdict | undefined
  readonly failure?: unknown
}

/**
 * Holds a finished export against the vendor's own counts. The export is finished whatever they say, so what keeps them
 * from being asked for is no failure.
 */
export async function holdAgainstReport({ source, store, state, call, progress }: Finished): Promise<Held> {
  const { report } = source
  if (!report) return { verdict: undefined }
  const { vendor } = report
  progress.note(`asking how many events ${vendor} counts`)
  const retry = {
    ...call.retry,
    onRetry: (error: Error, waitMs: number) => progress.retrying(error.message, waitMs),
  }
  try {
    const found = await reconcile({ source, report, store, state, call: { ...call, retry } })
    // So that the next run knows how much of the report's quota is used.
    await state.flush()
    return { verdict: { vendor, found } }
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure)
    const verdict = { vendor, asked: true, reason }
    const isReason = failure instanceof PosthaulError && failure.code !== 'interrupted'
    return isReason ? { verdict } : { verdict, failure }
  }
}
