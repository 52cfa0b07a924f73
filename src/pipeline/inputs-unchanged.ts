import pLimit from 'p-limit'
import { type ErrorCode, PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { etagOf, statOf } from '../inputs/locate.ts'
import { isS3 } from '../store/s3-location.ts'

type Listed = Pick<InputFile, 'path' | 'size' | 'mtimeMs' | 'etag' | 'member'>

const ASKED_AT_ONCE = 16

/**
 * Throws (code `input`) if a file is not of the size and time that it was listed with: what was read of it can be a mix
 * of two states. An object in a bucket is not asked for: each read of it was of what has the listed ETag, or failed.
 */
export async function assertUnchanged(inputs: readonly Listed[]): Promise<void> {
  await assertAll(
    inputs.filter(({ path }) => !isS3(path)),
    'input',
    'was changed while it was read',
  )
}

/** Throws (code `mismatch`) if a file or an object is another than when it was listed, or gone. */
export async function assertAsListed(inputs: readonly Listed[]): Promise<void> {
  await assertAll(inputs, 'mismatch', 'is not what it was when it was listed')
}

async function assertAll(inputs: readonly Listed[], code: ErrorCode, what: string): Promise<void> {
  const places = new Map(inputs.map((input) => [input.path, input]))
  const limit = pLimit(ASKED_AT_ONCE)
  const wrong = await Promise.all(
    [...places.values()].map((input) => limit(async () => ((await isAsListed(input)) ? [] : [input.path]))),
  )
  const [first] = wrong.flat()
  if (first === undefined) return
  throw new PosthaulError(`${first} ${what}`, {
    code,
    hint: 'let nothing write to the inputs, then run the same command again',
  })
}

async function isAsListed({ path, size, mtimeMs, etag, member }: Listed): Promise<boolean> {
  if (etag !== undefined) return (await etagOf(path)) === etag
  const now = await statOf(path)
  return typeof now === 'object' && now.mtimeMs === mtimeMs && now.size === (member?.archiveBytes ?? size)
}
