import type { AroundCohort, AroundKind, AroundRow } from './around-kinds.ts'

/** Why a source has no answer, as a sentence: its API has no such list, or the plan does not include it. */
export interface Untold {
  readonly untold: string
}

/** What a source may use while it is asked. */
export interface AroundCall {
  readonly signal: AbortSignal
  /** Tells the user something that is not a failure, such as a wait for the quota. */
  note(text: string): void
}

/**
 * Someone who has what lies around the events: a vendor, or another PostHog. Each list is asked for once, whole, and waits
 * for quotas and retries by itself; who asks keeps what is whole, so that a run which was cut short asks for the rest only.
 * Throws what no retry mends.
 */
export interface AroundSource {
  /** As a sentence calls it: `Mixpanel`. */
  readonly name: string
  /** What tells this project from others: `mixpanel eu 12345`. A folder holds the things of one. */
  readonly identity: string
  /** The rows of each kind. A cohort's `file` and `members` are null in them: they are filled in as members are read. */
  readonly read: {
    readonly [K in AroundKind]: (call: AroundCall) => Promise<readonly AroundRow<K>[] | Untold>
  }
  /** The distinct ids of a cohort, a page at a time: there can be more than memory holds. */
  members(cohort: AroundCohort, call: AroundCall): Promise<AsyncIterable<readonly string[]> | Untold>
  close(): Promise<void>
}
