import { createReadStream } from 'node:fs'
import { errnoOf, fileError } from '../store/file-error.ts'
import { AppendFile } from './append-file.ts'
import { type CheckpointState, type LoadedCheckpoint, loadCheckpoint, saveCheckpoint } from './checkpoint.ts'
import {
  type ImportState,
  type LinesDigest,
  type LinesKind,
  OWN_KIND,
  REJECTS_KIND,
  type StateLines,
} from './import-state.ts'

/** The paths of a state on this machine. */
export interface StatePaths {
  readonly checkpoint: string
  readonly rejects: string
  readonly own: string
}

/** State in files of this machine, and the generation of the checkpoint before. */
export class LocalState implements ImportState {
  readonly checkpointPath: string
  readonly rejects: StateLines
  readonly own: StateLines

  constructor({ checkpoint, rejects, own }: StatePaths) {
    this.checkpointPath = checkpoint
    this.rejects = new LocalLines(rejects, REJECTS_KIND)
    this.own = new LocalLines(own, OWN_KIND)
  }

  load(): Promise<LoadedCheckpoint | undefined> {
    return loadCheckpoint(this.checkpointPath)
  }

  save(state: CheckpointState): Promise<void> {
    return saveCheckpoint(this.checkpointPath, state)
  }
}

class LocalLines implements StateLines {
  readonly path: string
  readonly #kind: LinesKind

  constructor(path: string, kind: LinesKind) {
    this.path = path
    this.#kind = kind
  }

  begin(): Promise<AppendFile> {
    return AppendFile.begin(this.path, this.#kind)
  }

  resume(digest: LinesDigest): Promise<AppendFile> {
    return AppendFile.resume(this.path, digest, this.#kind)
  }

  setAside(): Promise<void> {
    return AppendFile.setAside(this.path)
  }

  async *read({ bytes }: LinesDigest): AsyncGenerator<Buffer> {
    if (bytes === 0) return
    try {
      yield* createReadStream(this.path, { end: bytes - 1 })
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'read', this.path)
    }
  }
}
