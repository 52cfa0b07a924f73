import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { MIB } from '../text/units.ts'

/** The length and the hash of the lines that a cell counts. */
export interface LogDigest {
  readonly bytes: number
  readonly sha256: string
}

/** The hash of nothing stands here, since to make it would load node:crypto in commands that only look. */
export const NO_LINES: LogDigest = {
  bytes: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
}

/** A log that is open for more lines. What no cell counts is not kept: see `LineLog.resume`. */
export abstract class OpenLog {
  protected bytes = 0
  protected hash = createHash('sha256')

  get digest(): LogDigest {
    return { bytes: this.bytes, sha256: this.hash.copy().digest('hex') }
  }

  /** Appends lines, durably. */
  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join(''))
    await this.write(bytes)
    this.hash.update(bytes)
    this.bytes += bytes.length
  }

  protected abstract write(lines: Buffer): Promise<void>

  async close(): Promise<void> {}
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

interface LogSpec {
  /** What the log is: each has a name of its own. */
  readonly name: string
  /** The user may move the lines away, mend them and put them back. */
  readonly mendable: boolean
  /** What is in one that no cell knows. */
  readonly foreign: string
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

/** A piece that has as many bytes is closed. Up to then each append replaces it with a longer one. */
const PIECE_BYTES = MIB

/**
 * A log in a store that cannot append: `x.rejects.ndjson`, then `x.rejects.0001.ndjson` and so on. One after the other
 * they are the file that a machine with a disk would have, and the cell counts its bytes in the same way.
 *
 * A run that dies after a put and before its cell is saved leaves bytes that no cell counts; `resume` cuts them off,
 * the last piece first. Each put names the version that it replaces: of two runs on one state the second one to write
 * fails, and stops, instead of writing over the other's lines.
 */
export class PieceLog implements LineLog {
  readonly path: string
  readonly #store: Store
  readonly #name: string
  readonly #kind: LogKind

  constructor(store: Store, name: string, kind: LogKind) {
    this.path = store.address(name)
    this.#store = store
    this.#name = name
    this.#kind = kind
  }

  async begin(): Promise<OpenPieceLog> {
    if ((await this.#pieces()).length > 0) throw this.#kind.foreign(this.path)
    return new OpenPieceLog(this.#store, this.#name)
  }

  async resume(digest: LogDigest): Promise<OpenPieceLog> {
    const pieces = await this.#pieces()
    const log = new OpenPieceLog(this.#store, this.#name)
    // The user moved them away, to mend the rejects: the next ones begin anew.
    if (pieces.length === 0) return log
    // No byte is known to be this import's: the user may have moved them away, mended them and put them back.
    if (digest.bytes === 0 && this.#kind.mendable) await this.setAside()
    else if (!(await log.take(pieces, digest))) throw this.#kind.changed(this.path)
    return log
  }

  async setAside(): Promise<void> {
    const store = this.#store
    const pieces = await this.#pieces()
    const taken = new Set((await store.list()).map((file) => file.name))
    const aside = (n: number) => pieces.map((piece) => `${piece}.old${n === 1 ? '' : n}`)
    let n = 1
    while (aside(n).some((one) => taken.has(one))) n++
    for (const [at, piece] of pieces.entries()) await store.put(aside(n)[at]!, store.read(piece))
    for (const piece of pieces.toReversed()) await store.remove(piece)
  }

  async *read({ bytes }: LogDigest): AsyncGenerator<Buffer> {
    let left = bytes
    for (const piece of await this.#pieces()) {
      for await (const chunk of this.#store.read(piece, { start: 0, end: left })) {
        left -= chunk.length
        yield chunk
      }
    }
  }

  /** The names of the pieces that are there, in order. Throws `mismatch` if one is missing between others. */
  async #pieces(): Promise<string[]> {
    const name = this.#name
    const stem = name.replace(/\.ndjson$/, '.')
    const numberOf = (file: string) =>
      file === name
        ? 0
        : file.startsWith(stem)
          ? Number(/^(\d{4,})\.ndjson$/.exec(file.slice(stem.length))?.[1])
          : Number.NaN
    const files = await this.#store.list()
    const numbers = files.map((file) => numberOf(file.name)).filter((number) => number >= 0)
    numbers.sort((a, b) => a - b)
    if (numbers.some((number, at) => number !== at)) throw this.#kind.changed(this.path)
    return numbers.map((number) => pieceName(name, number))
  }
}

class OpenPieceLog extends OpenLog {
  readonly #store: Store
  readonly #name: string
  /** The piece that grows: its number, its bytes, and its version once it is stored. */
  #number = 0
  #piece: Buffer = Buffer.alloc(0)
  #version: string | undefined

  constructor(store: Store, name: string) {
    super()
    this.#store = store
    this.#name = name
  }

  protected async write(lines: Buffer): Promise<void> {
    await this.#put(Buffer.concat([this.#piece, lines]))
    this.#closeIfFull()
  }

  /** Takes over as many bytes as the cell counts, and cuts off what follows. False if they are other bytes. */
  async take(pieces: readonly string[], digest: LogDigest): Promise<boolean> {
    let last = 0
    let size = 0
    for (; this.bytes < digest.bytes; last++) {
      const loaded = pieces[last] === undefined ? undefined : await this.#store.load(pieces[last]!)
      if (!loaded) return false
      size = loaded.bytes.length
      this.#number = last
      this.#piece = Buffer.from(loaded.bytes.subarray(0, digest.bytes - this.bytes))
      this.#version = loaded.version
      this.hash.update(this.#piece)
      this.bytes += this.#piece.length
    }
    if (this.digest.sha256 !== digest.sha256) return false
    for (const surplus of pieces.slice(last).toReversed()) await this.#store.remove(surplus)
    if (this.#piece.length < size) await this.#put(this.#piece)
    this.#closeIfFull()
    return true
  }

  async #put(piece: Buffer): Promise<void> {
    const version = this.#version
    const condition = version === undefined ? 'absent' : { version }
    const put = await this.#store.put(pieceName(this.#name, this.#number), piece, condition)
    this.#version = put.version
    this.#piece = piece
  }

  #closeIfFull(): void {
    if (this.#piece.length < PIECE_BYTES) return
    this.#number++
    this.#piece = Buffer.alloc(0)
    this.#version = undefined
  }
}

function pieceName(name: string, number: number): string {
  return number === 0 ? name : name.replace(/\.ndjson$/, `.${String(number).padStart(4, '0')}.ndjson`)
}
