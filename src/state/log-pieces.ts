import { createHash } from 'node:crypto'
import type { Store } from '../store/index.ts'
import { MIB } from '../text/index.ts'
import type { LineLog, LogDigest, LogKind, OpenLog } from './log-kind.ts'

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

class OpenPieceLog implements OpenLog {
  readonly #store: Store
  readonly #name: string
  readonly #hash = createHash('sha256')
  #bytes = 0
  /** The piece that grows: its number, its bytes, and its version once it is stored. */
  #number = 0
  #piece: Buffer = Buffer.alloc(0)
  #version: string | undefined

  constructor(store: Store, name: string) {
    this.#store = store
    this.#name = name
  }

  get digest(): LogDigest {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') }
  }

  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join(''))
    await this.#write(Buffer.concat([this.#piece, bytes]))
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    this.#closeIfFull()
  }

  async close(): Promise<void> {}

  /** Takes over as many bytes as the cell counts, and cuts off what follows. False if they are other bytes. */
  async take(pieces: readonly string[], digest: LogDigest): Promise<boolean> {
    let last = 0
    let size = 0
    for (; this.#bytes < digest.bytes; last++) {
      const loaded = pieces[last] === undefined ? undefined : await this.#store.load(pieces[last]!)
      if (!loaded) return false
      size = loaded.bytes.length
      this.#number = last
      this.#piece = Buffer.from(loaded.bytes.subarray(0, digest.bytes - this.#bytes))
      this.#version = loaded.version
      this.#hash.update(this.#piece)
      this.#bytes += this.#piece.length
    }
    if (this.digest.sha256 !== digest.sha256) return false
    for (const surplus of pieces.slice(last).toReversed()) await this.#store.remove(surplus)
    if (this.#piece.length < size) await this.#write(this.#piece)
    this.#closeIfFull()
    return true
  }

  async #write(piece: Buffer): Promise<void> {
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
