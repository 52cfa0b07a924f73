import type { Counts } from '../record/index.ts'
import type { Via } from './route.ts'
import type { DeliveryTally } from './tally.ts'

/** How a run ended. The counts are of the whole import, over all its runs. */
export interface DeliveryOutcome {
  readonly counts: Counts
  /** Events delivered by this run alone. */
  readonly deliveredNow: number
  /** Events that the import made itself, and the service took: apart from the counts. */
  readonly ownEvents: number
  /** Records rejected by this run alone. */
  readonly rejectedNow: number
  readonly tally: DeliveryTally
  /** The rejects file is not empty, and has not been moved away. */
  readonly rejectsLeft: boolean
  /** One of the rejects is a last line without its line end. It is read again if the file grows. */
  readonly tornTail: boolean
  /** The time of `--stop-after` ended before the input did. */
  readonly stoppedInTime: boolean
  /** Whether any of this run's events was found in the project. Undefined if none was looked for. */
  readonly arrived: boolean | undefined
  /** The route that the events took; `auto` if none was sent. */
  readonly via: Via
  /** What is left of the input. `events` is known only of a dataset; `bytes` are stored bytes, roughly. */
  readonly left: { readonly events: number | undefined; readonly bytes: number }
  /** All events that count against the volume cap, over all imports into the project since `since`. */
  readonly migration: { readonly events: number; readonly since: string }
  /** Why the run failed before the end of the input; undefined if it reached the end, or its time was over. */
  readonly error: unknown
}

/** How far a running import has come. */
export interface ImportProgress {
  readonly totalBytes: number
  readonly doneBytes: number
  /** Events acknowledged, over all runs. */
  readonly delivered: number
  readonly rejected: number
  /** Of the delivered events; only by Capture V1. */
  readonly unconfirmed?: number
  /** What is left to send; known only of a dataset. */
  readonly pending: number | undefined
}
