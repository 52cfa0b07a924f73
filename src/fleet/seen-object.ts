import { crc32 } from 'node:zlib'
import { SortedLines } from '../store/sorted-lines.ts'
import type { Store } from '../store/store.ts'
import { eachSeenLine, shareOfText } from '../transform/observation-file.ts'
import type { WrittenFile } from '../transform/work-file.ts'
import { MIB } from '../units.ts'
import type { Piece, WholeFile } from './done-file.ts'
import { loadPiece } from './pieces.ts'

/**
 * An object with the observations of a map task, as files of observations have them (transform/observation-file.ts), in the
 * order of their hashes: so a bucket, which is a range of hashes, is a range of bytes. At the end is the index: of each
 * bucket where it is, as JSON.
 */
export interface SeenObject extends WholeFile {
  readonly index: Piece
}

/** Sorts the observations of units and writes them. Undefined where there are none. */
export async function writeSeen(
  store: Store,
  file: string,
  folder: string,
  units: readonly WrittenFile[],
  buckets: number,
): Promise<SeenObject | undefined> {
  if (units.every(({ bytes }) => bytes === 0)) return undefined
  const lines = new SortedLines(folder, 'seen')
  for (const unit of units) eachSeenLine(folder, unit, (hash, rest) => lines.add(hash, rest))
  let index: Piece = { file, offset: 0, bytes: 0, crc: 0 }
  async function* chunks(): AsyncGenerator<Buffer> {
    const pieces: Piece[] = []
    let offset = 0
    const close = (bytes: number, crc: number) => {
      pieces.push({ file, offset, bytes, crc })
      offset += bytes
    }
    let [bytes, crc] = [0, 0]
    for (const chunk of chunksOf(lines, buckets)) {
      while (pieces.length < chunk.bucket) {
        close(bytes, crc)
        ;[bytes, crc] = [0, 0]
      }
      bytes += chunk.bytes.length
      crc = crc32(chunk.bytes, crc)
      yield chunk.bytes
    }
    while (pieces.length < buckets) {
      close(bytes, crc)
      ;[bytes, crc] = [0, 0]
    }
    const text = Buffer.from(JSON.stringify(pieces))
    index = { file, offset, bytes: text.length, crc: crc32(text) }
    yield text
  }
  try {
    const { bytes } = await store.put(file, chunks())
    return { file, bytes, index }
  } finally {
    lines.remove()
  }
}

/** Lines in order, in chunks that belong to one bucket each. */
function* chunksOf(lines: SortedLines, buckets: number): Generator<{ bucket: number; bytes: Buffer }> {
  let [text, bucket] = ['', 0]
  for (const [hash, rest] of lines.read()) {
    const next = shareOfText(hash, buckets)
    if (text !== '' && (next !== bucket || text.length >= MIB)) {
      yield { bucket, bytes: Buffer.from(text) }
      text = ''
    }
    bucket = next
    text += `${hash}${rest}\n`
  }
  if (text !== '') yield { bucket, bytes: Buffer.from(text) }
}

/** Where an object has a bucket. Code `mismatch` if its index is not as it was written. */
export async function bucketOf(store: Store, { index }: SeenObject, bucket: number): Promise<Piece> {
  return (JSON.parse((await loadPiece(store, index)).toString('utf8')) as Piece[])[bucket]!
}
