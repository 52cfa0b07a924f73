import { createReadStream } from 'node:fs'
import { errnoOf, fileError } from '../store/file-error.ts'
import { type CheckpointState, type LoadedCheckpoint, loadCheckpoint, saveCheckpoint } from './checkpoint.ts'
import type { ImportState, RejectsDigest } from './import-state.ts'
import { RejectsFile } from './rejects-file.ts'

/** State in two files of this machine, and the generation of the checkpoint before. */
export class LocalState implements ImportState {
  readonly checkpointPath: string
  readonly rejectsPath: string

  constructor(checkpointPath: string, rejectsPath: string) {
    this.checkpointPath = checkpointPath
    this.rejectsPath = rejectsPath
  }

  load(): Promise<LoadedCheckpoint | undefined> {
    return loadCheckpoint(this.checkpointPath)
  }

  save(state: CheckpointState): Promise<void> {
    return saveCheckpoint(this.checkpointPath, state)
  }

  beginRejects(): Promise<RejectsFile> {
    return RejectsFile.begin(this.rejectsPath)
  }

  resumeRejects(digest: RejectsDigest): Promise<RejectsFile> {
    return RejectsFile.resume(this.rejectsPath, digest)
  }

  setRejectsAside(): Promise<void> {
    return RejectsFile.setAside(this.rejectsPath)
  }

  async *readRejects({ bytes }: RejectsDigest): AsyncGenerator<Buffer> {
    if (bytes === 0) return
    try {
      yield* createReadStream(this.rejectsPath, { end: bytes - 1 })
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'read', this.rejectsPath)
    }
  }
}
