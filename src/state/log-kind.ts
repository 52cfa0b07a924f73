import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'

/** The length and the hash of the lines that a cell counts. */
export interface LogDigest {
  readonly bytes: number
  readonly sha256: string
}

export const NO_LINES: LogDigest = { bytes: 0, sha256: createHash('sha256').digest('hex') }

/** A log that is open for more lines. What no cell counts is not kept: see `LineLog.resume`. */
export interface OpenLog {
  readonly digest: LogDigest
  /** Appends lines, durably. */
  append(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Lines that are only appended, in a file or in a bucket. */
export interface LineLog {
  /** Its address, for messages. */
  readonly path: string
  /** Begins a new one. Throws `mismatch` if there are lines already: they are another run's. */
  begin(): Promise<OpenLog>
  /**
   * Opens the log as the cell knows it. What follows the bytes of `digest` was written by a run that died before its cell
   * was saved: it is cut off. Throws `mismatch` if the other bytes are not those that were written.
   */
  resume(digest: LogDigest): Promise<OpenLog>
  /** Moves the lines to a name that is free, so that a restart begins new ones. */
  setAside(): Promise<void>
  /** The lines that the cell counts; empty if the user has moved them away. */
  read(digest: LogDigest): AsyncIterable<Buffer>
}

export interface LogSpec {
  /** What the log is: each has a name of its own. */
  readonly name: string
  /** The user may move the lines away, mend them and put them back. */
  readonly mendable: boolean
  /** What is in one that no cell knows. */
  readonly foreign: string
  /** What to do with one that has changed. */
  readonly changed: string
}

/** A state of lines that are only appended: how it is refused. */
export class LogKind {
  readonly name: string
  readonly mendable: boolean
  readonly #spec: LogSpec

  constructor(spec: LogSpec) {
    this.name = spec.name
    this.mendable = spec.mendable
    this.#spec = spec
  }

  /** The refusal of lines that are there before their import has begun. */
  foreign(path: string): PosthaulError {
    return new PosthaulError(`${path} already exists, but is not from this import`, {
      code: 'mismatch',
      hint: `move it away; ${this.#spec.foreign}`,
    })
  }

  /** The refusal of lines that are not those that the import wrote. */
  changed(path: string): PosthaulError {
    return new PosthaulError(`${path} has changed since this import wrote it`, {
      code: 'mismatch',
      hint: this.#spec.changed,
    })
  }
}
