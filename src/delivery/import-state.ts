import type { CheckpointState, LoadedCheckpoint } from './checkpoint.ts'

/** The length and the hash of the lines that a checkpoint counts. */
export interface LinesDigest {
  readonly bytes: number
  readonly sha256: string
}

/** Lines of a state, open for more. What the checkpoint does not count is not kept: see `StateLines.resume`. */
export interface AppendedLines {
  readonly digest: LinesDigest
  /** Appends lines, durably. */
  append(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** A file of a state to which lines are only appended: the rejects, or the import's own events. */
export interface StateLines {
  /** Its address, for messages. */
  readonly path: string
  /** Begins those of a new import. Throws `mismatch` if there are some already: they are another import's. */
  begin(): Promise<AppendedLines>
  /**
   * Opens the lines as the checkpoint knows them. What follows the bytes of `digest` was written by a run that died
   * before its checkpoint was saved: it is cut off. Throws `mismatch` if the other bytes are not those that were written.
   */
  resume(digest: LinesDigest): Promise<AppendedLines>
  /** Moves the lines to a name that is free, so that a restart begins new ones. */
  setAside(): Promise<void>
  /** The lines that the checkpoint counts; empty if the user has moved them away. */
  read(digest: LinesDigest): AsyncIterable<Buffer>
}

/** Where an import keeps its checkpoint and the lines beside it: in files of this machine, or in a bucket. */
export interface ImportState {
  /** Its address, for messages. */
  readonly checkpointPath: string
  readonly rejects: StateLines
  /** The events that the import made itself: see own-events.ts. */
  readonly own: StateLines
  /** The newest whole checkpoint; undefined if there is none. Throws `mismatch` or `usage` for one that is unreadable. */
  load(): Promise<LoadedCheckpoint | undefined>
  /** Replaces the checkpoint, durably. */
  save(state: CheckpointState): Promise<void>
}

/** What differs between the kinds of lines. */
export interface LinesKind {
  /** The user may move them away, mend them and put them back. */
  readonly mendable: boolean
  /** What is in a file that no checkpoint knows. */
  readonly foreign: string
  /** What to do with one that has changed. */
  readonly changed: string
}

export const REJECTS_KIND: LinesKind = {
  mendable: true,
  foreign: 'it holds the rejects of another run',
  changed: 'move it away (mend and import it from there); the import then goes on with a new one',
}

export const OWN_KIND: LinesKind = {
  mendable: false,
  foreign: 'it holds events that another import made and sent, which verify looks for',
  changed: 'restore it; or move it away, and verify will not know the events that it held',
}
