import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { PosthaulError } from '../errors.ts'

/** Bytes that can be read from anywhere: an archive's directory is at its end. */
export interface ByteSource {
  /** How messages call it. */
  readonly name: string
  readonly bytes: number
  read(range: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>
}

/** What an archive may hold, by what is counted while it is read: what its headers say can be a lie. */
export interface ArchiveCaps {
  readonly members: number
  /** Decompressed, all members together. */
  readonly bytes: number
  /** Decompressed bytes for each byte of the archive. */
  readonly ratio: number
}

/** Far beyond any export, and before any disk is full. */
export const ARCHIVE_CAPS: ArchiveCaps = { members: 100_000, bytes: 2 ** 40, ratio: 250 }

// The ratio of a small archive says nothing about it.
const RATIO_FREE_BYTES = 64 * 1024 * 1024

/** An archive that cannot be read: `damaged` (cut short, altered, no archive at all) or over a cap. */
export class ArchiveError extends PosthaulError {
  readonly kind: 'damaged' | 'too-large'

  constructor(kind: 'damaged' | 'too-large', message: string, cause?: unknown) {
    const hint = kind === 'damaged' ? 'fetch the file again' : 'unpack it by hand, if you trust it'
    super(message, { code: 'input', hint, cause })
    this.name = 'ArchiveError'
    this.kind = kind
  }
}

/** Counts what comes out of an archive, at every level of compression, against its caps. */
export class ArchiveBudget {
  readonly #name: string
  readonly #most: number
  #spent = 0

  constructor({ name, bytes }: Pick<ByteSource, 'name' | 'bytes'>, caps: ArchiveCaps) {
    this.#name = name
    this.#most = Math.min(caps.bytes, Math.max(RATIO_FREE_BYTES, bytes * caps.ratio))
  }

  /** Passes a stream on, counted. */
  async *counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.#spent += chunk.length
      if (this.#spent > this.#most) {
        throw new ArchiveError(
          'too-large',
          `${this.#name} unpacks to over ${this.#most} bytes: refused as a bomb`,
        )
      }
      yield chunk
    }
  }
}

export interface ArchiveMember {
  /** As the archive has it: never a path to write to. */
  readonly name: string
  /** Decompressed, its checksum compared at the end. */
  read(): AsyncIterable<Buffer>
}

/** The files in a zip archive, in the order of its directory. Read one before you ask for the next. */
export async function* zipMembers(
  source: ByteSource,
  budget: ArchiveBudget,
  caps: ArchiveCaps = ARCHIVE_CAPS,
): AsyncGenerator<ArchiveMember> {
  // Names stay bytes to yauzl: it would refuse the whole archive for one that leaves a folder nobody writes to.
  const options = { decodeStrings: false, autoClose: false }
  const archive = await damagedIfThrown(source, () =>
    fromRandomAccessReaderPromise(new RangeReader(source), source.bytes, options),
  )
  if (archive.entryCount > caps.members) {
    throw new ArchiveError('too-large', `${source.name} has ${archive.entryCount} members: too many`)
  }
  const entries = archive.eachEntry()
  for (;;) {
    const next = await damagedIfThrown(source, () => entries.next())
    if (next.done) return
    const entry: Entry = next.value
    const name = entry.fileNameRaw.toString('utf8')
    if (name.endsWith('/')) continue
    yield { name, read: () => budget.counted(contents(archive, entry, source, name)) }
  }
}

/** A file as the bytes of an archive. */
export async function fileSource(path: string): Promise<ByteSource> {
  const { size } = await stat(path)
  return {
    name: path,
    bytes: size,
    // `end` counts itself in there: nothing at all has to be said another way.
    read: ({ start, end }) =>
      end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]),
  }
}

async function* contents(
  archive: ZipFile,
  entry: Entry,
  source: ByteSource,
  name: string,
): AsyncGenerator<Buffer> {
  let sum = 0
  const stream = await damagedIfThrown(source, () => archive.openReadStreamPromise(entry))
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await damagedIfThrown(source, () => pieces.next())
      if (next.done) break
      sum = crc32(next.value, sum)
      yield next.value
    }
  } finally {
    stream.destroy()
  }
  if (sum !== entry.crc32) {
    throw new ArchiveError('damaged', `${source.name}: the checksum of ${name} does not match`)
  }
}

async function damagedIfThrown<T>(source: ByteSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof PosthaulError) throw cause
    throw new ArchiveError(
      'damaged',
      `${source.name} is no whole zip archive: ${(cause as Error).message}`,
      cause,
    )
  }
}

class RangeReader extends RandomAccessReader {
  readonly #source: ByteSource

  constructor(source: ByteSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read({ start, end }), { objectMode: false })
  }
}
