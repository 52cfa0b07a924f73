import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { statOf } from '../inputs/locate.ts'
import { isS3 } from '../store/s3-location.ts'

type Listed = Pick<InputFile, 'path' | 'size' | 'mtimeMs' | 'member'>

/**
 * Throws (code `input`) if a file is not of the size and time that it was listed with: what was read of it can be a mix
 * of two states. An object in a bucket is only ever replaced as a whole, and is not asked for.
 */
export async function assertUnchanged(inputs: readonly Listed[]): Promise<void> {
  const files = new Map(inputs.filter(({ path }) => !isS3(path)).map((input) => [input.path, input]))
  for (const [path, { size, mtimeMs, member }] of files) {
    const now = await statOf(path)
    if (typeof now === 'object' && now.mtimeMs === mtimeMs && now.size === (member?.archiveBytes ?? size))
      continue
    throw new PosthaulError(`${path} was changed while it was read`, {
      code: 'input',
      hint: 'let nothing write to the inputs, then run the same command again',
    })
  }
}
