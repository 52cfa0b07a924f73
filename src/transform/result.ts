import type { PosthaulError } from '../errors.ts'
import type { Counts } from '../record/counts.ts'
import type { Inventory } from '../record/inventory.ts'
import type { Notes } from '../record/notes.ts'

/** How a transform is run. */
export interface TransformOptions {
  readonly interrupted: AbortSignal
  /** Called before each stage and before the manifest: throws once another run has the dataset. */
  readonly look: () => Promise<void>
  readonly tool: string
  readonly source: Readonly<Record<string, string>>
}

/** Where every record went. `error` says why a run ended before its end. */
export interface TransformResult {
  readonly counts: Counts & { generated: number }
  readonly rejects: Record<string, number>
  readonly filtered: Record<string, number>
  readonly notes: Notes
  readonly inventory: Inventory
  readonly days: number
  readonly parts: number
  readonly error: PosthaulError | undefined
}
