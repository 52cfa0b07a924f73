import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from './file-error.ts'
import { FOLDER_MODE } from './file-mode.ts'

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
