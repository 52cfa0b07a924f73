import { realpathSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import type { S3Store } from '../store/s3.ts'
import { isS3, splitAddress } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import { KIB } from '../text/units.ts'

const READ_BYTES = 256 * KIB
/** After so many paths others have their turn, such as signals. */
const PATHS_AT_ONCE = 256
const ASKED_AT_ONCE = 16

/** What is known of a file without reading it. `mtimeMs` is 0 for a file in a bucket. */
export interface FileStat {
  readonly size: number
  readonly mtimeMs: number
  /** Of an object in a bucket. */
  readonly etag?: string
}

const stores = new Map<string, Promise<S3Store>>()

/** A bucket's store. Each thread opens it once, with its connections. */
function bucketStore(location: string): Promise<S3Store> {
  // Loaded only for buckets: see store/open.ts.
  const open = stores.get(location) ?? import('../store/s3.ts').then(({ S3Store }) => new S3Store(location))
  stores.set(location, open)
  return open
}

let resolved = 0

/**
 * A path on this machine without links. Rejects if nothing is there. It is asked for at once: an answer that comes later leaves
 * 400 bytes that only a collection of the whole heap takes away, and every file is asked for three times.
 */
export async function withoutLinks(path: string): Promise<string> {
  if (++resolved % PATHS_AT_ONCE === 0) await setImmediate()
  return realpathSync.native(path)
}

/** Size and time of a file, on this machine or in a bucket; undefined when there is none, `'folder'` for a folder. */
export async function statOf(path: string): Promise<FileStat | 'folder' | undefined> {
  if (isS3(path)) return statInBucket(path)
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) return 'folder'
    if (stats.isFile()) return { size: stats.size, mtimeMs: stats.mtimeMs }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
  throw new PosthaulError(`${path} is not an ordinary file`, {
    code: 'input',
    hint: 'write the data to a file first: it is read more than once',
  })
}

/**
 * What `ask` answers for each of many files, in their order; few are asked for at a time. Rejects with the first failure,
 * after which no more are asked for. A limiter's queue would hold promises and functions for each file that waits: of
 * 60,000 files they were 100 MB.
 */
export async function askEach<File, Answer>(
  files: readonly File[],
  ask: (file: File) => Promise<Answer>,
): Promise<Answer[]> {
  const answers = new Array<Answer>(files.length)
  let next = 0
  const lane = async () => {
    while (next < files.length) {
      const at = next++
      try {
        answers[at] = await ask(files[at]!)
      } catch (error) {
        next = files.length
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, lane))
  return answers
}

/** A range of a file's bytes as they are stored. Of an object: code `mismatch` if it has another ETag than it was listed with. */
export async function* readPlace(
  { path, etag }: { readonly path: string; readonly etag?: string | undefined },
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  if (end <= start) return
  if (isS3(path)) {
    const { location, name } = splitAddress(path)
    yield* (await bucketStore(location)).read(name, { start, end }, etag)
    return
  }
  yield* readFile(path, start, end)
}

/**
 * Without a stream, which takes three times as long to open a small file, and leaves more behind. The next chunk is read while
 * one is worked on.
 */
async function* readFile(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  const reading = <T>(act: Promise<T>) =>
    act.catch((error: unknown) => {
      throw fileError(error, 'read', path)
    })
  const file = await reading(open(path))
  const chunkAt = async (at: number) => {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, end - at))
    if (chunk.length === 0) return chunk
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    return chunk.subarray(0, bytesRead)
  }
  try {
    let coming = chunkAt(start)
    for (let at = start; at < end; ) {
      const chunk = await reading(coming)
      if (chunk.length === 0) return
      at += chunk.length
      coming = chunkAt(at)
      // It fails where it is awaited, if it is.
      coming.catch(() => undefined)
      yield chunk
    }
  } finally {
    // It waits for a read that is under way.
    await file.close()
  }
}

async function statInBucket(path: string): Promise<FileStat | 'folder' | undefined> {
  const { location, name } = splitAddress(path)
  if (name === '') return 'folder'
  const files = await (await bucketStore(location)).list()
  const file = files.find((one) => one.name === name)
  if (file) return { size: file.bytes, mtimeMs: 0, ...(file.etag && { etag: file.etag }) }
  return files.some((one) => one.name.startsWith(`${name}/`)) ? 'folder' : undefined
}
