import type { Store } from '../../store/store.ts'
import type { Job } from '../job.ts'
import type { KnownPlan } from './plan-file.ts'

/** What a task needs for its work. */
export interface TaskOrder {
  readonly known: KnownPlan
  readonly index: number
  /** The id of this try. */
  readonly tryId: string
  /** The plan's job on this machine, with its key. */
  readonly job: Job
  /** Where the fleet's files are. */
  readonly store: Store
  /** A folder of this machine for this try alone. */
  readonly folder: string
  /** Ends the reading of an input in the middle. */
  readonly stop: AbortSignal
  /** Told of bytes that were read. */
  progress(bytes: number): void
}
