import type { CheckpointState, LoadedCheckpoint } from './checkpoint.ts'

/** The length and the hash of the rejects that a checkpoint counts. */
export interface RejectsDigest {
  readonly bytes: number
  readonly sha256: string
}

/** The rejects of an import, open for more. What the checkpoint does not count is not kept: see `resumeRejects`. */
export interface Rejects {
  readonly digest: RejectsDigest
  /** Appends lines, durably. */
  append(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Where an import keeps its checkpoint and its rejects: in files of this machine, or in a bucket. */
export interface ImportState {
  /** Addresses, for messages. */
  readonly checkpointPath: string
  readonly rejectsPath: string
  /** The newest whole checkpoint; undefined if there is none. Throws `mismatch` or `usage` for one that is unreadable. */
  load(): Promise<LoadedCheckpoint | undefined>
  /** Replaces the checkpoint, durably. */
  save(state: CheckpointState): Promise<void>
  /** Begins the rejects of a new import. Throws `mismatch` if there are some already: they are another import's. */
  beginRejects(): Promise<Rejects>
  /**
   * Opens the rejects as the checkpoint knows them. What follows the bytes of `digest` was written by a run that died
   * before its checkpoint was saved: it is cut off. Throws `mismatch` if the other bytes are not those that were written.
   */
  resumeRejects(digest: RejectsDigest): Promise<Rejects>
  /** Moves the rejects to a name that is free, so that a restart begins new ones. */
  setRejectsAside(): Promise<void>
  /** The rejects that the checkpoint counts; empty if the user has moved them away. */
  readRejects(digest: RejectsDigest): AsyncIterable<Buffer>
}
