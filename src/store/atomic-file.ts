import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from './file-error.ts'
import { FILE_MODE } from './file-mode.ts'

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

/** Writes a whole file atomically and durably: temporary name, fsync, rename, fsync of the folder. */
export async function writeFileAtomic(path: string, bytes: Uint8Array | string): Promise<void> {
  await replaceFile(path, (file) => file.writeFile(bytes))
}
