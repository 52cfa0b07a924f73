import { randomUUID } from 'node:crypto'
import { constants, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from './file-error.ts'

/**
 * The most that a new file and a new folder allow. They hold events of real people, and a program that uses the library
 * mostly has a umask by which all users of the machine can read. The command line allows less: see cli/early.ts.
 */
export const FILE_MODE = 0o640
const FOLDER_MODE = 0o750

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

/** The name of a temporary file; the group is the name of the file that it was to become. */
export const TEMPORARY = /^\.(.+)\.[0-9a-f]{8}\.tmp$/

/** True for the name of a file that an interrupted write can leave behind. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name)
}

/** True for such a file that was to become a lock, or the mutex under which a lock is replaced. */
export function isBesideLock(name: string): boolean {
  return /\.lock(\.takeover)*$/.test(TEMPORARY.exec(name)?.[1] ?? '')
}

/** A free name beside `path`: in the same folder, for a rename is atomic only within one file system. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`)
}

/** Makes a folder's own entries (a rename, a removal) survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Replaces the file at `path` so that a reader, or a crash at any instant, finds the old bytes or the new ones, whole.
 * `publish` moves the finished temporary file into place; the default replaces what is there.
 */
export async function replaceFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  publish: (temporary: string, path: string) => Promise<void> = rename,
): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    const file = await open(temporary, 'wx', FILE_MODE)
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await publish(temporary, path)
    // The folder too: after a power cut the rename itself can be missing.
    await syncFolder(dirname(path))
  } catch (error) {
    // What can't be removed is what could not be made: the first error is the one to tell.
    await rm(temporary, { force: true }).catch(() => undefined)
    throw fileError(error, 'write', path)
  }
}

/**
 * Makes a folder and the missing ones above it; one that is there is fine. Node's own `recursive` is not used: below
 * /proc it tries for ever, on a thread that no signal reaches.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await make(resolve(path))
  } catch (error) {
    throw fileError(error, 'make the folder', path)
  }
}

async function make(path: string): Promise<void> {
  try {
    await mkdir(path, FOLDER_MODE)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && dirname(path) !== path) return makeBelow(path)
    if (!(await isFolder(path))) throw error
  }
}

async function makeBelow(path: string): Promise<void> {
  await make(dirname(path))
  try {
    await mkdir(path, FOLDER_MODE)
  } catch (error) {
    // Another process can have made it meanwhile.
    if (await isFolder(path)) return
    if (errnoOf(error) !== 'ENOENT') throw error
    throw new PosthaulError(`cannot make the folder ${path}: its file system takes no new ones`, {
      code: 'input',
      hint: 'name a folder on a disk',
      cause: error,
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
