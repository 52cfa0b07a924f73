import { createHash, hash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { KIB, MIB } from '../../text/units.ts'

/*
 * A side table on disk, for look-ups by key with little memory:
 *
 *     <path>        a line break, then a line for each key: "<hash><key>" as JSON, a tab, the row. In the order of hashes
 *     <path>.index  of each block of lines two doubles: the hash that it begins with, and its place in the file
 *
 * Rows have no line breaks inside, and JSON writes those of a key as escapes: a key is found by its bytes alone.
 */
const BLOCK_BYTES = 16 * KIB
const HASH_DIGITS = 16
/** A double holds these exactly. */
const INDEXED_DIGITS = 12
/** Rows found lately are kept up to these sizes. */
const KEPT_ROWS = 4096
const KEPT_LENGTH = 4 * MIB

/** A key after its hash. Hashes spread evenly whatever keys look like, so few digits tell blocks apart. */
export function hashed(key: string): string {
  return hash('sha1', key, 'hex').slice(0, HASH_DIGITS) + key
}

function indexed(hashedKey: string): number {
  return Number.parseInt(hashedKey.slice(0, INDEXED_DIGITS), 16)
}

/** Writes a table whose hashed keys come in order, each once. */
export class TableWriter {
  readonly #path: string
  readonly #fd: number
  readonly #sum = createHash('sha256')
  readonly #index: number[] = []
  #text = '\n'
  #bytes = 0

  constructor(path: string) {
    this.#path = path
    this.#fd = openSync(path, 'w', 0o600)
  }

  add(hashedKey: string, row: string): void {
    if (this.#text.length >= BLOCK_BYTES) this.#drain()
    // A block opens with the line break before its first line.
    if (this.#text === '\n') this.#index.push(indexed(hashedKey), Math.max(0, this.#bytes - 1))
    this.#text += `${JSON.stringify(hashedKey)}\t${row}\n`
  }

  /** Ends the files; the sha256 of the table. */
  finish(): string {
    this.#drain()
    closeSync(this.#fd)
    this.#index.push(Number.POSITIVE_INFINITY, this.#bytes)
    writeFileSync(`${this.#path}.index`, new Float64Array(this.#index), { mode: 0o600 })
    return this.#sum.digest('hex')
  }

  /** The line break that ends a block is the one before the next: it is kept in the text, and written once. */
  #drain(): void {
    const bytes = Buffer.from(this.#bytes === 0 ? this.#text : this.#text.slice(1))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.#sum.update(bytes)
    this.#bytes += bytes.length
    this.#text = '\n'
  }
}

/** Finds rows of a table by their keys: one read of a block each, and none for rows found lately. */
export class TableReader {
  readonly #fd: number
  readonly #index: Float64Array
  readonly #kept = new Map<string, string | undefined>()
  #keptLength = 0
  #block: Buffer = Buffer.allocUnsafe(2 * BLOCK_BYTES)

  constructor(path: string) {
    this.#fd = openSync(path, 'r')
    const bytes = readFileSync(`${path}.index`)
    this.#index = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  }

  row(key: string): string | undefined {
    if (this.#kept.has(key)) return this.#kept.get(key)
    const row = this.#find(hashed(key))
    const length = key.length + (row?.length ?? 0)
    if (this.#kept.size >= KEPT_ROWS || this.#keptLength + length > KEPT_LENGTH) {
      this.#kept.clear()
      this.#keptLength = 0
    }
    this.#kept.set(key, row)
    this.#keptLength += length
    return row
  }

  close(): void {
    closeSync(this.#fd)
  }

  #find(hashedKey: string): string | undefined {
    const wanted = indexed(hashedKey)
    const name = Buffer.from(`\n${JSON.stringify(hashedKey)}\t`)
    // Several blocks can begin with one hash.
    for (let block = this.#blockBefore(wanted); this.#hashAt(block) <= wanted; block++) {
      const bytes = this.#read(this.#placeAt(block), this.#placeAt(block + 1))
      const at = bytes.indexOf(name)
      if (at < 0) continue
      const from = at + name.length
      const end = bytes.indexOf('\n', from)
      return bytes.toString('utf8', from, end < 0 ? bytes.length : end)
    }
    return undefined
  }

  /** The last block that begins below a hash; the first one if none does. */
  #blockBefore(wanted: number): number {
    let [low, high] = [0, this.#index.length / 2 - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#hashAt(middle) < wanted) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }

  #hashAt(block: number): number {
    return this.#index[2 * block]!
  }

  #placeAt(block: number): number {
    return this.#index[2 * block + 1]!
  }

  #read(start: number, end: number): Buffer {
    const size = end - start
    if (this.#block.length < size) this.#block = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      const got = readSync(this.#fd, this.#block, filled, size - filled, start + filled)
      if (got === 0) throw new Error('a side table was cut short')
      filled += got
    }
    return this.#block.subarray(0, size)
  }
}
