import type { PosthaulError } from '../errors.ts'
import type { JoinedTable } from '../pipeline/side/built.ts'
import type { Inventory, MadeCounts, Notes, RecordCounts } from '../record/index.ts'

/** What became of one dataset of a division by people. */
export interface SplitShare {
  readonly out: string
  readonly events: number
  readonly days: number
  readonly parts: number
}

/** How a transform is run. */
export interface TransformRunOptions {
  readonly interrupted: AbortSignal
  /** Called before each stage and before the manifest: throws once another run has the dataset. */
  readonly look: () => Promise<void>
  readonly tool: string
  readonly source: Readonly<Record<string, string>>
}

/** Where every record went. `error` says why a run ended before its end. */
export interface Transformed {
  /** Of records; where one becomes several events, of their children and of the records that have none to count. */
  readonly counts: MadeCounts
  /** The records themselves, where one becomes several events. */
  readonly records: RecordCounts | null
  readonly rejects: Record<string, number>
  readonly filtered: Record<string, number>
  /** In the order of the preset, those that were not given too. */
  readonly joined: readonly JoinedTable[]
  readonly notes: Notes
  readonly inventory: Inventory
  readonly days: number
  readonly parts: number
  /** The datasets, where the events were divided by people. */
  readonly split?: readonly SplitShare[]
  readonly error: PosthaulError | undefined
}
