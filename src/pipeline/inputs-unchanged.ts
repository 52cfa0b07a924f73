import { type ErrorCode, PosthaulError } from '../errors.ts'
import { askEach, etagOf, type InputFile, statOf } from '../inputs/index.ts'
import { isS3 } from '../store/index.ts'

type Listed = Pick<InputFile, 'path' | 'size' | 'mtimeMs' | 'etag' | 'member'>

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
  // Once for all members of an archive.
  const archives = new Set<string>()
  const isFirst = ({ path, member }: Listed) => !member || archives.size < archives.add(path).size
  const listed = inputs.filter(isFirst)
  const first = listed[(await askEach(listed, isAsListed)).indexOf(false)]
  if (first === undefined) return
  throw new PosthaulError(`${first.path} ${what}`, {
    code,
    hint: 'let nothing write to the inputs, then run the same command again',
  })
}

async function isAsListed({ path, size, mtimeMs, etag, member }: Listed): Promise<boolean> {
  if (etag !== undefined) return (await etagOf(path)) === etag
  const now = await statOf(path)
  return typeof now === 'object' && now.mtimeMs === mtimeMs && now.size === (member?.archiveBytes ?? size)
}
