import { createHash, type Hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { fileError } from '../store/file-error.ts'
import { gunzip, isGzip } from '../store/gunzip.ts'
import { readFileThrough, readSpan } from '../store/read-file.ts'
import { posthaulLine } from '../text/shell-word.ts'
import { KIB } from '../text/units.ts'
import type { CheckpointState } from './checkpoint.ts'
import type { InputSource, SourcePiece } from './intake.ts'
import { noSuchPlace, type Place, PlaceCheck, START_OVER } from './place.ts'

/** What a checkpoint says of one file. */
type FileIdentity = Extract<CheckpointState['input'], { kind: 'file' }>

type Digest = { readonly bytes: number; readonly sha256: string }

const HEAD_BYTES = 64 * KIB

const ORIGINAL = `import the original file; give another one a state of its own with --checkpoint, ${START_OVER}`

/** A file, plain or gzip (by its first bytes). It may grow between runs, but what was read of it may not change. */
export class FileSource implements InputSource {
  readonly name: string
  readonly events = undefined
  readonly #path: string
  readonly #head: Digest
  readonly #packed: boolean
  readonly totalBytes: number
  /** The hash of all stored bytes read so far. */
  #hash: Hash = createHash('sha256')
  #hashed = 0
  #unpacked = 0

  private constructor(path: string, name: string, size: number, head: Buffer) {
    this.#path = path
    this.name = name
    this.totalBytes = size
    this.#head = digestOf(head)
    this.#packed = isGzip(head)
  }

  /** Reads the first bytes of the file. `name` is what messages call it. */
  static async open(path: string, name = basename(path)): Promise<FileSource> {
    try {
      const info = await stat(path)
      if (info.isDirectory())
        throw notAFile(path, 'it is a folder', posthaulLine(['import', '--dataset', path]))
      if (!info.isFile()) throw notAFile(path, 'it can be read only once', 'write it to a file first')
      return new FileSource(path, name, info.size, await readSpan(path, HEAD_BYTES))
    } catch (error) {
      throw fileError(error, 'read', path)
    }
  }

  mayHave(): boolean {
    return true
  }

  async verify(saved: CheckpointState['input'], places: readonly Place[] = []): Promise<void> {
    if (saved.kind !== 'file') throw another(this.name, saved.name)
    if (this.totalBytes < saved.size) {
      throw new PosthaulError(
        `${this.name} has shrunk since this import began: ${saved.size} bytes, now ${this.totalBytes}`,
        { code: 'mismatch', hint: ORIGINAL },
      )
    }
    const head = digestOf(await readSpan(this.#path, saved.head.bytes))
    if (head.sha256 !== saved.head.sha256) throw another(this.name, saved.name, saved.head, head)
    const elsewhere = places.find(({ part }) => part !== 0)
    if (elsewhere) throw noSuchPlace(`file ${elsewhere.part + 1}, and ${this.name} is the only one`)
    const check = new PlaceCheck(this.name, this.#packed ? [] : places)
    for await (const chunk of this.#read(0, saved.consumed.bytes)) {
      this.#take(chunk)
      check.push(chunk)
    }
    const now = { bytes: this.#hashed, sha256: this.#digest() }
    if (now.bytes !== saved.consumed.bytes || now.sha256 !== saved.consumed.sha256) {
      throw new PosthaulError(`${this.name} was changed in the part that is already imported`, {
        code: 'mismatch',
        lines: thenAndNow(saved.consumed, now),
        hint: ORIGINAL,
      })
    }
    check.end(saved.consumed.bytes === saved.size)
    if (this.#packed) await this.checkPlaces(places)
  }

  /** Throws `mismatch` if no line begins at one of the places. */
  async checkPlaces(places: readonly Place[]): Promise<void> {
    const check = new PlaceCheck(this.name, places)
    if (check.done) return
    for await (const chunk of this.#packed ? this.#unpack(0) : this.#read(0)) {
      check.push(chunk)
      if (check.done) break
    }
    check.end()
  }

  identity(): FileIdentity {
    return {
      kind: 'file',
      name: this.name,
      size: this.totalBytes,
      head: this.#head,
      consumed: { bytes: this.#hashed, sha256: this.#digest() },
    }
  }

  /** Reads the rest of the file, for the hash alone. */
  async readAll(): Promise<void> {
    for await (const chunk of this.#read(this.#hashed)) this.#take(chunk)
  }

  async *pieces(from: Place): AsyncGenerator<SourcePiece> {
    yield {
      from,
      file: undefined,
      chunks: this.#packed ? this.#unpack(from.offset) : this.#plain(from.offset),
      next: undefined,
    }
  }

  bytesBefore(place: Place): number {
    if (!this.#packed || this.#unpacked === 0) return Math.min(place.offset, this.totalBytes)
    return Math.min(this.totalBytes, (place.offset / this.#unpacked) * this.#hashed)
  }

  async *#plain(offset: number): AsyncGenerator<Buffer> {
    let at = offset
    for await (const chunk of this.#read(offset)) {
      at += chunk.length
      // The hash already holds the bytes that `verify` read.
      if (at > this.#hashed) this.#take(chunk.subarray(Math.max(0, chunk.length - (at - this.#hashed))))
      yield chunk
    }
  }

  async *#unpack(offset: number): AsyncGenerator<Buffer> {
    try {
      let at = offset
      for await (const chunk of gunzip(this.#copied(), offset)) {
        at += chunk.length
        this.#unpacked = Math.max(this.#unpacked, at)
        yield chunk
      }
    } catch (error) {
      if (error instanceof PosthaulError) throw error
      throw new PosthaulError(`cannot unpack ${this.name}: ${(error as Error).message}`, {
        code: 'input',
        hint: 'check it with gzip -t; what is before the fault has been read',
        cause: error,
      })
    }
  }

  /** The packed bytes, copied: the unpacker reads ahead, and a chunk is valid only until the next one. */
  async *#copied(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#plain(0)) yield Buffer.from(chunk)
  }

  /**
   * Reads no further than the size when the file was opened: what a writer adds meanwhile may end in the middle of a
   * line. A chunk is valid until the next one is requested.
   */
  async *#read(start: number, end = this.totalBytes): AsyncGenerator<Buffer> {
    if (end <= start) return
    let at = start
    for await (const chunk of readFileThrough(this.#path, start, end)) {
      at += chunk.length
      yield chunk
    }
    if (at < end) {
      throw new PosthaulError(`${this.name} became shorter while it was read`, {
        code: 'input',
        hint: 'a file may only grow while it is imported',
      })
    }
  }

  #take(chunk: Buffer): void {
    this.#hash.update(chunk)
    this.#hashed += chunk.length
  }

  #digest(): string {
    return this.#hash.copy().digest('hex')
  }
}

function digestOf(bytes: Buffer): Digest {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function notAFile(path: string, why: string, hint: string): PosthaulError {
  return new PosthaulError(`cannot import ${path}: ${why}`, { code: 'input', hint })
}

function another(name: string, was: string, then?: Digest, now?: Digest): PosthaulError {
  const what = name === was ? `${name} is not the file` : `${name} is not ${was}, the input`
  return new PosthaulError(`${what} that this checkpoint was made from`, {
    code: 'mismatch',
    ...(then && now && { lines: thenAndNow(then, now) }),
    hint: ORIGINAL,
  })
}

/** What the beginning of a file was when it was imported, and what it is. */
function thenAndNow(then: Digest, now: Digest): string[] {
  const words = ({ bytes, sha256 }: Digest) =>
    `the first ${bytes.toLocaleString('en')} bytes have the sha256 ${sha256.slice(0, 16)}…`
  return [`then: ${words(then)}`, `now:  ${words(now)}`]
}
