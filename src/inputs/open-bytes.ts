import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { PosthaulError } from '../errors.ts'
import { type ByteRange, GzipFault, gunzip } from '../store/index.ts'
import { ARCHIVE_CAPS, ArchiveBudget, type ByteSource } from './archive.ts'
import { decoded } from './decode.ts'
import type { InputFile } from './input-file.ts'
import { readPlace } from './locate.ts'

const FETCH_AGAIN = 'fetch or copy the file again; nothing was made from it'

/** Called with each count of the file's own bytes, before unpacking, as they are read. */
export type ByteProgress = (bytes: number) => void

/** What it takes to read an input's bytes. */
export type Stored = Place &
  Pick<InputFile, 'size' | 'member' | 'encoding'> &
  Partial<Pick<InputFile, 'compression' | 'rejects'>>

/** Where an input is, and the ETag of what has to be there. */
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
export async function* readRange(
  input: Place,
  range: ByteRange,
  progress?: ByteProgress,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of readPlace(input, range)) {
    bytes += chunk.length
    progress?.(chunk.length)
    yield chunk
  }
  if (bytes < range.end - range.start) throw becameShorter(input)
}

/** The error of an input that has fewer bytes than it had when it was listed. */
export function becameShorter(input: Pick<InputFile, 'path'>): PosthaulError {
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
