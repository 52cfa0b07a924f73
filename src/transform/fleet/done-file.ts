import { crc32 } from 'node:zlib'
import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'

/** Bytes in a file of the fleet's store, with their CRC-32. */
export interface Piece {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  readonly crc: number
}

/** A file of the fleet's store as a whole. */
export interface WholeFile {
  readonly file: string
  readonly bytes: number
}

/**
 * Writes a task's result. It says nothing of time or machine, so that two tries of one task write the same bytes.
 *
 *     {"plan":"6f1e…","crc":"0a1b2c3d","result":{…}}
 */
export async function writeDone(store: Store, name: string, plan: string, result: unknown): Promise<void> {
  const text = JSON.stringify(result)
  await store.put(name, Buffer.from(`{"plan":"${plan}","crc":"${checksum(text)}","result":${text}}\n`))
}

/** A task's result; undefined if it has none under this plan. Code `mismatch` for one that was changed since. */
export async function readDone<T>(store: Store, name: string, plan: string): Promise<T | undefined> {
  const there = await store.load(name)
  if (!there) return undefined
  const read = parsed(there.bytes)
  if (read !== undefined && read.plan !== plan) return undefined
  if (read?.result !== undefined && checksum(JSON.stringify(read.result)) === read.crc)
    return read.result as T
  throw new PosthaulError(`${store.address(name)} is not as it was written: something changed it`, {
    code: 'mismatch',
    hint: 'remove it, and run that task again',
  })
}

interface Written {
  readonly plan?: string
  readonly crc?: string
  readonly result?: unknown
}

function parsed(bytes: Uint8Array): Written | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Written
  } catch {
    return undefined
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
