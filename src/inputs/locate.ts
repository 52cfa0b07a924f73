import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import { isS3, splitAddress } from '../store/s3-location.ts'
import type { ByteRange, Store } from '../store/store.ts'
import { KIB } from '../units.ts'

const READ_BYTES = 256 * KIB

/** What is known of a file without reading it. `mtimeMs` is 0 for a file in a bucket. */
export interface FileStat {
  readonly size: number
  readonly mtimeMs: number
}

const stores = new Map<string, Promise<Store>>()

/** A bucket's store. Each thread opens it once, with its connections. */
function bucketStore(location: string): Promise<Store> {
  const open = stores.get(location) ?? openStore(location)
  stores.set(location, open)
  return open
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
  throw new PosthaulError(`${path} is no ordinary file`, {
    code: 'input',
    hint: 'write the data to a file first: it is read more than once',
  })
}

/** A range of a file's bytes as they are stored. */
export async function* readPlace(path: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  if (end <= start) return
  if (isS3(path)) {
    const { location, name } = splitAddress(path)
    yield* (await bucketStore(location)).read(name, { start, end })
    return
  }
  try {
    yield* createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}

async function statInBucket(path: string): Promise<FileStat | 'folder' | undefined> {
  const { location, name } = splitAddress(path)
  if (name === '') return 'folder'
  const files = await (await bucketStore(location)).list()
  const file = files.find((one) => one.name === name)
  if (file) return { size: file.bytes, mtimeMs: 0 }
  return files.some((one) => one.name.startsWith(`${name}/`)) ? 'folder' : undefined
}
