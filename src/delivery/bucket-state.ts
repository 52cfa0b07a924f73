import type { Store } from '../store/store.ts'
import {
  type CheckpointState,
  encodeCheckpoint,
  type LoadedCheckpoint,
  readCheckpoint,
  unreadable,
} from './checkpoint.ts'
import type { ImportState, RejectsDigest } from './import-state.ts'
import { RejectsPieces } from './rejects-pieces.ts'

/**
 * State in a bucket. The checkpoint is one object: a put replaces it whole and durably, so no generation before it is
 * kept. Each put names the version that it replaces, so a run that has lost its lease cannot overwrite its successor's.
 */
export class BucketState implements ImportState {
  readonly checkpointPath: string
  readonly rejectsPath: string
  readonly #store: Store
  readonly #checkpoint: string
  readonly #rejects: string
  #version: string | undefined

  constructor(store: Store, checkpoint: string, rejects: string) {
    this.#store = store
    this.#checkpoint = checkpoint
    this.#rejects = rejects
    this.checkpointPath = store.address(checkpoint)
    this.rejectsPath = store.address(rejects)
  }

  async load(): Promise<LoadedCheckpoint | undefined> {
    const loaded = await this.#store.load(this.#checkpoint)
    this.#version = loaded?.version
    if (!loaded) return undefined
    const reading = readCheckpoint(Buffer.from(loaded.bytes))
    if (reading.kind === 'whole') return { state: reading.state, fellBack: false }
    throw unreadable(this.checkpointPath, reading)
  }

  async save(state: CheckpointState): Promise<void> {
    const version = this.#version
    const condition = version === undefined ? 'absent' : { version }
    const put = await this.#store.put(this.#checkpoint, Buffer.from(encodeCheckpoint(state)), condition)
    this.#version = put.version
  }

  beginRejects(): Promise<RejectsPieces> {
    return RejectsPieces.begin(this.#store, this.#rejects)
  }

  resumeRejects(digest: RejectsDigest): Promise<RejectsPieces> {
    return RejectsPieces.resume(this.#store, this.#rejects, digest)
  }

  setRejectsAside(): Promise<void> {
    return RejectsPieces.setAside(this.#store, this.#rejects)
  }

  readRejects(digest: RejectsDigest): AsyncIterable<Buffer> {
    return RejectsPieces.read(this.#store, this.#rejects, digest.bytes)
  }
}
