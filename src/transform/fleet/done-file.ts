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

/** Who writes a result: the plan's id and the id of the try, or `finish`. */
export interface Author {
  readonly plan: string
  readonly try: string
}

/**
 * Writes a result. The file says its own name, which has the stage and the index of the task: a file that was copied or moved
 * to the place of another one is told from it. Two tries of one task write the same result.
 *
 *     {"plan":"6f1e…","file":"map/000012.done","try":"20240301T100000-1a2b3c4d","crc":"0a1b2c3d","result":{…}}
 */
export async function writeDone(store: Store, file: string, author: Author, result: unknown): Promise<void> {
  const content = { file, try: author.try, result }
  const { plan } = author
  const written: Written = { plan, file, try: author.try, crc: checksum(content), result }
  await store.put(file, Buffer.from(`${JSON.stringify(written)}\n`))
}

/**
 * The result that is in a file; undefined if it has none under this plan. Code `mismatch` for one that was changed since, or
 * that was written for another place.
 */
export async function readDone<T>(store: Store, file: string, plan: string): Promise<T | undefined> {
  const there = await store.load(file)
  if (!there) return undefined
  const read = parsed(there.bytes)
  if (read !== undefined && read.plan !== plan) return undefined
  const isWhole =
    read?.result !== undefined &&
    checksum({ file: read.file, try: read.try, result: read.result }) === read.crc
  if (isWhole && read.file === file) return read.result as T
  const what = isWhole
    ? `was written by the try ${read.try} as ${read.file}, not here`
    : 'is not as it was written: something changed it'
  throw new PosthaulError(`${store.address(file)} ${what}`, {
    code: 'mismatch',
    hint: 'remove it, and run that task again',
  })
}

interface Written {
  readonly plan: string
  readonly file: string
  readonly try: string
  readonly crc: string
  readonly result: unknown
}

function parsed(bytes: Uint8Array): Partial<Written> | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<Written>
  } catch {
    return undefined
  }
}

function checksum(content: {
  readonly file: unknown
  readonly try: unknown
  readonly result: unknown
}): string {
  return crc32(JSON.stringify(content)).toString(16).padStart(8, '0')
}
