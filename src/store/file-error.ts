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
  EMFILE: ['unavailable', 'too many files are open', 'raise the limit (ulimit -n)'],
}

/** The code of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
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
