import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { PosthaulError } from '../errors.ts'
import { GzipFault, gunzip } from '../store/gunzip.ts'
import { readFileThrough } from '../store/read-file.ts'
import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import { KIB } from '../text/units.ts'
import { ARCHIVE_CAPS, ArchiveBudget, type ByteSource } from './archive.ts'
import { decoded } from './decode.ts'
import type { InputFile } from './input-file.ts'
import { readPlace } from './locate.ts'

const FETCH_AGAIN = 'fetch or copy the file again; nothing was made from it'

/** Called with each count of the file's own bytes, before unpacking, as they are read. */
export type ByteProgress = (bytes: number) => void

export type Stored = Place &
  Pick<InputFile, 'size' | 'member' | 'encoding'> &
  Partial<Pick<InputFile, 'compression' | 'rejects'>>

type Place = Pick<InputFile, 'path' | 'etag'>

/** An input's text in UTF-8, or its bytes, unpacked. Fails when the file is shorter than it was when it was listed. */
export function openBytes(input: Stored, progress?: ByteProgress): AsyncIterable<Buffer> {
  const { encoding = 'utf-8', rejects, path } = input
  const bytes = unpacked(input, progress)
  return encoding === 'utf-8' || rejects ? bytes : decoded(bytes, encoding, path)
}

function unpacked(input: Stored, progress?: ByteProgress): AsyncIterable<Buffer> {
  const { member, size, compression = 'none', path } = input
  // The caps of an archive's member hold for the archive's compression and for the member's own.
  const budget = member && new ArchiveBudget({ name: path, bytes: size }, ARCHIVE_CAPS)
  const held = (bytes: AsyncIterable<Buffer>) => (budget ? budget.counted(bytes) : bytes)
  const packed = held(storedBytes(input, progress))
  if (compression === 'none') return packed
  if (compression === 'brotli') return held(unbrotli(packed, path))
  return held(ungzip(packed, path))
}

/** A range of the file itself. Its bytes are the reader's own, to be kept or changed. */
async function* readRange(input: Place, range: ByteRange, progress?: ByteProgress): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of readPlace(input, range)) {
    bytes += chunk.length
    progress?.(chunk.length)
    yield chunk
  }
  if (bytes < range.end - range.start) throw becameShorter(input)
}

function becameShorter(input: Pick<InputFile, 'path'>): PosthaulError {
  return new PosthaulError(`${input.path} became shorter while it was read`, {
    code: 'input',
    hint: 'let nothing write to the inputs, then run the same command again',
  })
}

/** The first bytes of an input, at most `limit`; unpacked only when its compression is known, and never decoded. */
export async function headOf(input: Stored, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const { member, compression = 'none', path, size } = input
  const plain = member === undefined && compression === 'none'
  const bytes = plain
    ? readRange(input, { start: 0, end: Math.min(limit, size) })
    : unpacked({ ...input, path })
  for await (const chunk of bytes) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= limit) break
  }
  return Buffer.concat(chunks).subarray(0, limit)
}

/** A zip archive's bytes, on this machine or in a bucket. */
export function archiveSource(place: Place, bytes: number): ByteSource {
  return { name: place.path, bytes, read: (range) => readRange(place, range) }
}

/** A file's bytes as they are stored, or a member's as the archive was given them. */
async function* storedBytes(input: Stored, progress?: ByteProgress): AsyncGenerator<Buffer> {
  const { size, member } = input
  if (!member) {
    yield* readRange(input, { start: 0, end: size }, progress)
    return
  }
  // Loaded only for archives: it is a tenth of what a worker loads, and most inputs are no archives.
  const { readMember } = await import('./zip.ts')
  yield* readMember(archiveSource(input, member.archiveBytes), member)
  progress?.(size)
}

async function* ungzip(packed: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* gunzip(packed)
  } catch (error) {
    throw gzipError(error, path)
  }
}

/** A fault of gzip data in the user's words. */
export function gzipError(error: unknown, path: string): unknown {
  if (!(error instanceof GzipFault)) return error
  return new PosthaulError(
    error.cut
      ? `${path} is cut short: its gzip data ends in the middle`
      : `${path} is damaged gzip data: ${error.message}`,
    { code: 'input', hint: FETCH_AGAIN, cause: error },
  )
}

async function* unbrotli(packed: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const unpack = createBrotliDecompress()
  const feeding = pipeline(packed, unpack)
  // A failure while feeding reaches the loop below through the stream.
  feeding.catch(() => undefined)
  try {
    for await (const chunk of unpack) yield chunk as Buffer
  } catch (error) {
    if (error instanceof PosthaulError) throw error
    throw new PosthaulError(`${path} is cut short, or no brotli data: ${(error as Error).message}`, {
      code: 'input',
      hint: FETCH_AGAIN,
      cause: error,
    })
  } finally {
    unpack.destroy()
  }
}

const LF = 0x0a
/** Where a line ends is looked for in so many bytes first: a reader of more would read ahead, a megabyte in each unit. */
const LOOK_BYTES = 16 * KIB

/**
 * The lines that start in a range of a plain file, and where in it they begin: ranges in a row share no line and leave none out. A
 * chunk's bytes are gone when the next one is asked for: see `readFileThrough`.
 */
export async function openLines(input: InputFile, range: ByteRange, progress?: ByteProgress) {
  // No further than the range: every range inside one long line would look for the line's end again.
  const start = await lineStart(input, range.start, range.end)
  const end = start < range.end ? await lineStart(input, range.end, input.size) : start
  return { offset: start, bytes: readThrough(input, { start, end }, progress) }
}

/** The first line start from an offset on; `limit`, which is behind it, when there is none before. */
async function lineStart(input: InputFile, offset: number, limit: number): Promise<number> {
  if (offset <= 0) return 0
  let at = offset - 1
  for (let size = LOOK_BYTES; at < limit - 1; size *= 2) {
    for await (const chunk of readRange(input, { start: at, end: Math.min(at + size, limit - 1) })) {
      const found = chunk.indexOf(LF)
      if (found !== -1) return at + found + 1
      at += chunk.length
    }
  }
  return limit
}

async function* readThrough(
  input: InputFile,
  range: ByteRange,
  progress?: ByteProgress,
): AsyncGenerator<Buffer> {
  if (isS3(input.path)) {
    yield* readRange(input, range, progress)
    return
  }
  let at = range.start
  for await (const chunk of readFileThrough(input.path, range.start, range.end)) {
    at += chunk.length
    progress?.(chunk.length)
    yield chunk
  }
  if (at < range.end) throw becameShorter(input)
}
