import { PosthaulError } from '../errors.ts'

type Told = readonly [code: 'input' | 'unavailable', what: string, hint: string]

const TOLD: Readonly<Record<string, Told>> = {
  ENOENT: ['input', 'there is no such file or folder', 'check the path for a typing error'],
  ENOTDIR: ['input', 'a part of the path is a file, not a folder', 'check the path for a typing error'],
  EEXIST: ['input', 'a file of that name is in the way', 'name another folder, or move the file away'],
  EISDIR: ['input', 'it is a folder, not a file', 'name the file itself'],
  EACCES: ['input', 'permission denied', 'run as a user who may, or change its permissions'],
  EPERM: ['input', 'the operation is not permitted', 'run as a user who may, or change its permissions'],
  ELOOP: ['input', 'symbolic links lead in a circle', 'name the real path'],
  ENAMETOOLONG: ['input', 'the path is too long', 'use a shorter one'],
  EROFS: ['input', 'the disk is read-only', 'name a folder on another disk'],
  ENOSPC: ['unavailable', 'the disk is full', 'free some space, then run the same command again'],
  EDQUOT: ['unavailable', 'the disk quota is used up', 'free some space, then run the same command again'],
  EMFILE: ['input', 'too many files are open', 'raise the limit: ulimit -n 1024'],
  ENFILE: ['input', 'too many files are open on this machine', 'close other programs'],
  ENOMEM: ['unavailable', 'the machine has no memory left', 'close other programs'],
  EIO: ['unavailable', 'the disk failed (an input or output error)', 'check the disk'],
  ENXIO: ['input', 'it is a socket or a device, not a file', 'name an ordinary file'],
  EINVAL: ['input', 'its file system does not allow that', 'name a folder on another disk'],
  EXDEV: ['input', 'its folder is on two disks', 'name a folder on one disk'],
  ENOTSUP: ['input', 'its file system does not allow that', 'name a folder on another disk'],
  EOPNOTSUPP: ['input', 'its file system does not allow that', 'name a folder on another disk'],
}

/** The code of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Failures by which a place that could be used shows that it can't be any more. */
const TURNED = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE'])

/**
 * An error of a run that has used the same place before. What is from the start a mistake in the command is now a
 * disk that has changed: code `unavailable`, for the run can go on once it is mended.
 */
export function inMidRun(error: unknown): unknown {
  if (!(error instanceof PosthaulError) || error.code !== 'input') return error
  if (!TURNED.has(errnoOf(error.cause) ?? '')) return error
  return new PosthaulError(error.message, {
    code: 'unavailable',
    hint: 'this run could use it before: mend that, then run the same command again',
    cause: error.cause,
  })
}

/** A failed file operation in the user's words. `doing` completes "cannot …": `read`, `write`, `list`. */
export function fileError(error: unknown, doing: string, path: string): unknown {
  if (error instanceof PosthaulError) return error
  const told = TOLD[errnoOf(error) ?? '']
  // An error of no system call is a bug, and keeps its own stack.
  if (!told && !(error instanceof Error && 'syscall' in error)) return error
  const [code, what, hint] = told ?? ['unavailable', (error as Error).message, 'run the same command again']
  return new PosthaulError(`cannot ${doing} ${path}: ${what}`, { code, hint, cause: error })
}
