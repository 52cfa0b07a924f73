import { createHash } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { MIB } from '../text/units.ts'
import { changedLines, foreignLines } from './append-file.ts'
import { type AppendedLines, type LinesDigest, type LinesKind, REJECTS_KIND } from './import-state.ts'

/** A piece that has as many bytes is closed. Up to then each append replaces it with a longer one. */
const PIECE_BYTES = MIB

/**
 * Lines in a store that cannot append: `x.rejects.ndjson`, then `x.rejects.0001.ndjson` and so on. One after the other
 * they are the file that a machine with a disk would have, and the checkpoint counts its bytes in the same way.
 *
 * A run that dies after a put and before its checkpoint leaves bytes that no checkpoint counts; `resume` cuts them off,
 * the last piece first. Each put names the version that it replaces: of two runs on one state the second one to write
 * fails, and stops, instead of writing over the other's lines.
 */
export class AppendPieces implements AppendedLines {
  readonly #store: Store
  readonly #name: string
  readonly #hash = createHash('sha256')
  #bytes = 0
  /** The piece that grows: its number, its bytes, and its version once it is stored. */
  #number = 0
  #piece: Buffer = Buffer.alloc(0)
  #version: string | undefined
  readonly #kind: LinesKind

  private constructor(store: Store, name: string, kind: LinesKind) {
    this.#store = store
    this.#name = name
    this.#kind = kind
  }

  static async begin(store: Store, name: string, kind = REJECTS_KIND): Promise<AppendPieces> {
    if ((await piecesIn(store, name, kind)).length > 0) throw foreignLines(store.address(name), kind)
    return new AppendPieces(store, name, kind)
  }

  static async resume(
    store: Store,
    name: string,
    digest: LinesDigest,
    kind = REJECTS_KIND,
  ): Promise<AppendPieces> {
    const pieces = await piecesIn(store, name, kind)
    const lines = new AppendPieces(store, name, kind)
    // The user moved them away, to mend the rejects: the next ones begin anew.
    if (pieces.length === 0) return lines
    if (digest.bytes > 0 || !kind.mendable) await lines.#take(pieces, digest)
    // No byte is known to be this import's: the user may have moved them away, mended them and put them back.
    else await AppendPieces.setAside(store, name)
    return lines
  }

  static async setAside(store: Store, name: string): Promise<void> {
    const pieces = await piecesIn(store, name)
    const taken = new Set((await store.list()).map((file) => file.name))
    const aside = (n: number) => pieces.map((piece) => `${piece}.old${n === 1 ? '' : n}`)
    let n = 1
    while (aside(n).some((one) => taken.has(one))) n++
    for (const [at, piece] of pieces.entries()) await store.put(aside(n)[at]!, store.read(piece))
    for (const piece of pieces.toReversed()) await store.remove(piece)
  }

  static async *read(store: Store, name: string, bytes: number): AsyncGenerator<Buffer> {
    let left = bytes
    for (const piece of await piecesIn(store, name)) {
      for await (const chunk of store.read(piece, { start: 0, end: left })) {
        left -= chunk.length
        yield chunk
      }
    }
  }

  get digest(): LinesDigest {
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

  /** Takes over as many bytes as the checkpoint counts, and cuts off what follows them. */
  async #take(pieces: readonly string[], digest: LinesDigest): Promise<void> {
    const address = this.#store.address(this.#name)
    let last = 0
    let size = 0
    for (; this.#bytes < digest.bytes; last++) {
      const loaded = pieces[last] === undefined ? undefined : await this.#store.load(pieces[last]!)
      if (!loaded) throw changedLines(address, this.#kind)
      size = loaded.bytes.length
      this.#number = last
      this.#piece = Buffer.from(loaded.bytes.subarray(0, digest.bytes - this.#bytes))
      this.#version = loaded.version
      this.#hash.update(this.#piece)
      this.#bytes += this.#piece.length
    }
    if (this.digest.sha256 !== digest.sha256) throw changedLines(address, this.#kind)
    for (const surplus of pieces.slice(last).toReversed()) await this.#store.remove(surplus)
    if (this.#piece.length < size) await this.#write(this.#piece)
    this.#closeIfFull()
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

/** The names of the pieces that are there, in order. Throws `mismatch` if one is missing between others. */
async function piecesIn(store: Store, name: string, kind = REJECTS_KIND): Promise<string[]> {
  const stem = name.replace(/\.ndjson$/, '.')
  const numberOf = (file: string) =>
    file === name
      ? 0
      : file.startsWith(stem)
        ? Number(/^(\d{4,})\.ndjson$/.exec(file.slice(stem.length))?.[1])
        : Number.NaN
  const numbers = (await store.list()).map((file) => numberOf(file.name)).filter((number) => number >= 0)
  numbers.sort((a, b) => a - b)
  if (numbers.some((number, at) => number !== at)) throw changedLines(store.address(name), kind)
  return numbers.map((number) => pieceName(name, number))
}
