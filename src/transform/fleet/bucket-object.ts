import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import type { Store } from '../../store/index.ts'
import type { FleetPiece, WholeFile } from './done-file.ts'
import type { TaskOrder } from './piece-order.ts'
import { fetchPieces, loadPiece } from './pieces.ts'
import type { TaskFiles } from './task-files.ts'

/** How many indexes are read at once. */
const AT_ONCE = 16

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
  { store, folder, progress }: Pick<TaskOrder, 'store' | 'folder' | 'progress'>,
  objects: readonly BucketObject[],
  bucket: number,
  file: string,
): Promise<FetchedBucket> {
  const limit = pLimit(AT_ONCE)
  const all = await Promise.all(objects.map((object) => limit(() => bucketOf(store, object, bucket))))
  const pieces = all.filter(({ bytes }) => bytes > 0)
  const starts = await fetchPieces(store, pieces, folder, file, progress)
  return {
    file,
    runs: pieces.map(({ bytes }, at) => ({ start: starts[at]!, end: starts[at]! + bytes })),
  }
}

async function bucketOf(store: Store, { index }: BucketObject, bucket: number): Promise<FleetPiece> {
  return (JSON.parse((await loadPiece(store, index)).toString('utf8')) as FleetPiece[])[bucket]!
}
