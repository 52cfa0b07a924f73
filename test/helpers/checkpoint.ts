import { CHECKPOINT, type CheckpointState } from '../../src/delivery/checkpoint.ts'
import { ImportState } from '../../src/delivery/import-state.ts'
import { generationsCell } from '../../src/state/cell.ts'

/** The checkpoint in a file of this machine. */
export function loadCheckpoint(path: string) {
  return ImportState.local({ checkpoint: path, rejects: `${path}.rejects`, own: `${path}.own` }).load()
}

export async function saveCheckpoint(path: string, state: CheckpointState): Promise<void> {
  await CHECKPOINT.save(generationsCell(path), state)
}
