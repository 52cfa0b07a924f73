import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { Body, Store } from '../../store/index.ts'
import type { FleetPiece, WholeFile } from './done-file.ts'

/** How many pieces are read from the store at the same time. */
const AT_ONCE = 8

/** The bytes of a small piece. Code `mismatch` if they are not those that were written. */
export async function loadPiece(store: Store, piece: FleetPiece): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readPiece(store, piece)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** The bytes of a piece. Code `mismatch`, at its end, if they are not those that were written. */
export async function* readPiece(store: Store, piece: FleetPiece): AsyncGenerator<Buffer> {
  const { file, offset, bytes, crc } = piece
  let [length, found] = [0, 0]
  for await (const chunk of store.read(file, { start: offset, end: offset + bytes })) {
    length += chunk.length
    found = crc32(chunk, found)
    yield chunk
  }
  if (length === bytes && found === crc) return
  throw new PosthaulError(`${store.address(file)} is not as it was written: something changed it`, {
    code: 'mismatch',
    hint: `run the task that wrote it again: posthaul fleet run ${taskWords(file)}`,
  })
}

/** `map --index 12`, from the name of a file of that task. */
function taskWords(file: string): string {
  const [stage = '', index = ''] = file.split('/')
  return `${stage} --index ${Number.parseInt(index, 10)}`
}

/** From where pieces are copied, and into which folder of this machine. */
export interface Fetching {
  readonly store: Store
  readonly folder: string
  /** Told of bytes that were copied. */
  progress(bytes: number): void
}

/**
 * Copies pieces into one file of this machine, one after the other. Returns of each where it begins there. Code `mismatch` if
 * one is not as it was written.
 */
export async function fetchPieces(
  { store, folder, progress }: Fetching,
  pieces: readonly FleetPiece[],
  name: string,
): Promise<number[]> {
  const starts: number[] = []
  let end = 0
  for (const { bytes } of pieces) {
    starts.push(end)
    end += bytes
  }
  const file = await open(join(folder, name), 'w', 0o600)
  try {
    const limit = pLimit(AT_ONCE)
    const failed: unknown[] = []
    const copy = async (piece: FleetPiece, at: number) => {
      let position = starts[at]!
      for await (const chunk of failed.length > 0 ? [] : readPiece(store, piece)) {
        // What is under way ends before the file is closed.
        if (failed.length > 0) return
        for (let done = 0; done < chunk.length; ) {
          done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten
        }
        position += chunk.length
        progress(chunk.length)
      }
    }
    const keep = (error: unknown) => void failed.push(error)
    await Promise.all(pieces.map((piece, at) => limit(() => copy(piece, at).catch(keep))))
    if (failed.length > 0) throw failed[0]
  } finally {
    await file.close()
  }
  return starts
}

/** The files that a task writes into the fleet's store: their names begin with the task's own. */
export class TaskFiles {
  /** In the order in which they were written. */
  readonly written: WholeFile[] = []
  readonly #store: Store
  readonly #task: string

  /** `task`: as `map/000012`. */
  constructor(store: Store, task: string) {
    this.#store = store
    this.#task = task
  }

  nameOf(name: string): string {
    return `${this.#task}/${name}`
  }

  async put(name: string, body: Body): Promise<WholeFile> {
    const file = this.nameOf(name)
    const { bytes } = await this.#store.put(file, body)
    const whole = { file, bytes }
    this.written.push(whole)
    return whole
  }

  /** The same for a file that is read as one piece. */
  async piece(name: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<FleetPiece> {
    let crc = 0
    async function* summed(): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        crc = crc32(chunk, crc)
        yield chunk
      }
    }
    const { file, bytes } = await this.put(name, summed())
    return { file, offset: 0, bytes, crc }
  }
}

/** Bytes of a file on this machine: all of it, or from `start` to `end`. */
export interface LocalBytes {
  readonly path: string
  readonly start?: number
  readonly end?: number
}

/** The bytes of some files on this machine, one after the other. */
export async function* bytesIn(files: Iterable<LocalBytes>): AsyncGenerator<Buffer> {
  for (const { path, start = 0, end = Number.POSITIVE_INFINITY } of files) {
    // Node's ends are inclusive.
    if (end > start) yield* createReadStream(path, { start, end: end - 1 }) as AsyncIterable<Buffer>
  }
}

/** How many indexes are read at once. */
const INDEXES_AT_ONCE = 16

/**
 * An object with lines of a task, one bucket after the other: a bucket is a range of the hashes that lines begin with. At
 * the end is the index: of each bucket where it is, as JSON.
 */
export interface BucketObject extends WholeFile {
  readonly index: FleetPiece
}

/** Writes lines, whose buckets come in their order. Undefined where there are none. */
export async function writeBuckets(
  files: TaskFiles,
  name: string,
  lines: Iterable<readonly [bucket: number, bytes: Buffer]>,
  buckets: number,
): Promise<BucketObject | undefined> {
  const file = files.nameOf(name)
  const pieces = Array.from({ length: buckets }, () => ({ file, offset: 0, bytes: 0, crc: 0 }))
  let index: FleetPiece = { file, offset: 0, bytes: 0, crc: 0 }
  const all = lines[Symbol.iterator]()
  const first = all.next()
  if (first.done) return undefined
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let next = first; !next.done; next = all.next()) {
      const [bucket, bytes] = next.value
      const piece = pieces[bucket]!
      piece.bytes += bytes.length
      piece.crc = crc32(bytes, piece.crc)
      yield bytes
    }
    let offset = 0
    for (const piece of pieces) {
      piece.offset = offset
      offset += piece.bytes
    }
    const text = Buffer.from(JSON.stringify(pieces))
    index = { file, offset, bytes: text.length, crc: crc32(text) }
    yield text
  }
  const { bytes } = await files.put(name, chunks())
  return { file, bytes, index }
}

/** Where a bucket is on this machine: of each object that has some of it, the bytes of a file. */
export interface FetchedBucket {
  readonly file: string
  readonly runs: readonly { readonly start: number; readonly end: number }[]
}

/** Copies a bucket of objects into one file of this machine. Code `mismatch` if one is not as it was written. */
export async function fetchBucket(
  from: Fetching,
  objects: readonly BucketObject[],
  bucket: number,
  file: string,
): Promise<FetchedBucket> {
  const limit = pLimit(INDEXES_AT_ONCE)
  const all = await Promise.all(objects.map((object) => limit(() => bucketOf(from.store, object, bucket))))
  const pieces = all.filter(({ bytes }) => bytes > 0)
  const starts = await fetchPieces(from, pieces, file)
  return {
    file,
    runs: pieces.map(({ bytes }, at) => ({ start: starts[at]!, end: starts[at]! + bytes })),
  }
}

async function bucketOf(store: Store, { index }: BucketObject, bucket: number): Promise<FleetPiece> {
  return (JSON.parse((await loadPiece(store, index)).toString('utf8')) as FleetPiece[])[bucket]!
}
