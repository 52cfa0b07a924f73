import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { askEach, statOf } from '../inputs/locate.ts'
import { isS3 } from '../store/s3-location.ts'

type Listed = Pick<InputFile, 'path' | 'size' | 'mtimeMs' | 'member'>

/**
 * Throws (code `input`) if a file is not of the size and time that it was listed with: what was read of it can be a mix
 * of two states. An object in a bucket is not asked for: each read of it was of what has the listed ETag, or failed.
 */
export async function assertUnchanged(inputs: readonly Listed[]): Promise<void> {
  // Once for all members of an archive.
  const archives = new Set<string>()
  const isFirst = ({ path, member }: Listed) => !member || archives.size < archives.add(path).size
  const listed = inputs.filter((input) => !isS3(input.path) && isFirst(input))
  const first = listed[(await askEach(listed, isAsListed)).indexOf(false)]
  if (first === undefined) return
  throw new PosthaulError(`${first.path} was changed while it was read`, {
    code: 'input',
    hint: 'let nothing write to the inputs, then run the same command again',
  })
}

async function isAsListed({ path, size, mtimeMs, member }: Listed): Promise<boolean> {
  const now = await statOf(path)
  return typeof now === 'object' && now.mtimeMs === mtimeMs && now.size === (member?.archiveBytes ?? size)
}
