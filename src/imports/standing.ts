import type { CheckpointState } from '../delivery/checkpoint.ts'
import { earliest } from '../delivery/place.ts'
import { importIdsOf, type Notes } from '../record/notes.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'

/** Events of a dataset that are not settled yet. Undefined for files: how many lines they have is not known. */
export function pendingOf({ input, counts }: CheckpointState): number | undefined {
  if (input.kind !== 'dataset') return undefined
  return input.events - counts.delivered - counts.rejected - counts.filtered
}

/** The share of the input that is acknowledged, from 0 to 1. Undefined of a packed file, which has no such offset. */
export function shareOf(state: CheckpointState): number | undefined {
  const { input, places, done } = state
  if (done) return 1
  if (input.kind === 'files')
    return (input.before.bytes + input.current.consumed.bytes) / Math.max(1, input.size)
  if (input.kind === 'dataset')
    return input.events === 0 ? 1 : (input.events - pendingOf(state)!) / input.events
  const { offset } = earliest(places)
  // A place counts unpacked bytes. If it is beyond the file's size, the file is a .gz, whose unpacked size is unknown.
  return offset <= input.size ? offset / Math.max(1, input.size) : undefined
}

/** The ids by which `undo` finds what files brought; null of a dataset, whose manifest has them, and where too many have their own. */
export function fileImportIds(kind: 'dataset' | 'file' | 'files', notes: Notes): string[] | null {
  return kind === 'dataset' ? null : importIdsOf(FILE_IMPORT_ID, notes)
}
