import { constants, type FileHandle, open } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from './file-error.ts'
import { FILE_MODE } from './file-mode.ts'

const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT } = constants
/** Windows has no such flag, and lets only an administrator make links. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0

const FLAGS = { update: O_RDWR | O_CREAT, append: O_WRONLY | O_CREAT | O_APPEND } as const

/**
 * Opens a file of ours whose name everybody can foresee, and makes it if need be. In a folder that others can write to, a
 * link can be waiting in its place: it is refused, since its target is no file of ours. Code `input` for it.
 */
export async function openOwn(path: string, use: keyof typeof FLAGS): Promise<FileHandle> {
  try {
    return await open(path, FLAGS[use] | O_NOFOLLOW, FILE_MODE)
  } catch (error) {
    if (errnoOf(error) !== 'ELOOP') throw fileError(error, 'write', path)
    throw new PosthaulError(`cannot write ${path}: it is a symbolic link, and its target is not ours`, {
      code: 'input',
      hint: 'move the link away; the file is made anew',
      cause: error,
    })
  }
}
