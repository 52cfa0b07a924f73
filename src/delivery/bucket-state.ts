import type { Store } from '../store/store.ts'
import { AppendPieces } from './append-pieces.ts'
import {
  type CheckpointState,
  encodeCheckpoint,
  type LoadedCheckpoint,
  readCheckpoint,
  unreadable,
} from './checkpoint.ts'
import {
  type ImportState,
  type LinesDigest,
  type LinesKind,
  OWN_KIND,
  REJECTS_KIND,
  type StateLines,
} from './import-state.ts'
import type { StatePaths } from './local-state.ts'

/**
 * State in a bucket. The checkpoint is one object: a put replaces it whole and durably, so no generation before it is
 * kept. Each put names the version that it replaces, so a run that has lost its lease cannot overwrite its successor's.
 */
export class BucketState implements ImportState {
  readonly checkpointPath: string
  readonly rejects: StateLines
  readonly own: StateLines
  readonly #store: Store
  readonly #checkpoint: string
  #version: string | undefined

  /** `names` are those of objects in the store. */
  constructor(store: Store, names: StatePaths) {
    this.#store = store
    this.#checkpoint = names.checkpoint
    this.checkpointPath = store.address(names.checkpoint)
    this.rejects = new BucketLines(store, names.rejects, REJECTS_KIND)
    this.own = new BucketLines(store, names.own, OWN_KIND)
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
}

class BucketLines implements StateLines {
  readonly path: string
  readonly #store: Store
  readonly #name: string
  readonly #kind: LinesKind

  constructor(store: Store, name: string, kind: LinesKind) {
    this.path = store.address(name)
    this.#store = store
    this.#name = name
    this.#kind = kind
  }

  begin(): Promise<AppendPieces> {
    return AppendPieces.begin(this.#store, this.#name, this.#kind)
  }

  resume(digest: LinesDigest): Promise<AppendPieces> {
    return AppendPieces.resume(this.#store, this.#name, digest, this.#kind)
  }

  setAside(): Promise<void> {
    return AppendPieces.setAside(this.#store, this.#name)
  }

  read({ bytes }: LinesDigest): AsyncIterable<Buffer> {
    return AppendPieces.read(this.#store, this.#name, bytes)
  }
}
