import { crc32 } from 'node:zlib'
import type { Store } from '../../store/store.ts'
import { gatherSeen, readShare } from '../gather.ts'
import type { WrittenFile } from '../work-file.ts'
import type { FleetPiece, WholeFile } from './done-file.ts'
import { loadPiece } from './pieces.ts'

/**
 * An object with the observations of a map task, as files of observations have them (transform/observation-file.ts), one
 * bucket after the other: a bucket is a range of their hashes. At the end is the index: of each bucket where it is, as
 * JSON.
 */
export interface SeenObject extends WholeFile {
  readonly index: FleetPiece
}

/** Puts the observations of units in order and writes them. Undefined where there are none. */
export async function writeSeen(
  store: Store,
  file: string,
  folder: string,
  units: readonly WrittenFile[],
  buckets: number,
): Promise<SeenObject | undefined> {
  if (units.every(({ bytes }) => bytes === 0)) return undefined
  const gathered = gatherSeen(folder, 'seen', units, { first: 0, count: buckets, of: buckets })
  let index: FleetPiece = { file, offset: 0, bytes: 0, crc: 0 }
  async function* chunks(): AsyncGenerator<Buffer> {
    const pieces: FleetPiece[] = []
    let offset = 0
    for (let bucket = 0; bucket < buckets; bucket++) {
      let [bytes, crc] = [0, 0]
      for (const one of gathered) {
        const chunk = readShare(folder, one, bucket)
        bytes += chunk.length
        crc = crc32(chunk, crc)
        if (chunk.length > 0) yield chunk
      }
      pieces.push({ file, offset, bytes, crc })
      offset += bytes
    }
    const text = Buffer.from(JSON.stringify(pieces))
    index = { file, offset, bytes: text.length, crc: crc32(text) }
    yield text
  }
  const { bytes } = await store.put(file, chunks())
  return { file, bytes, index }
}

/** Where an object has a bucket. Code `mismatch` if its index is not as it was written. */
export async function bucketOf(store: Store, { index }: SeenObject, bucket: number): Promise<FleetPiece> {
  return (JSON.parse((await loadPiece(store, index)).toString('utf8')) as FleetPiece[])[bucket]!
}
