import type { Stats } from 'node:fs'
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from './file-error.ts'
import { holderHere, holderSchema, lifeOf } from './holder.ts'

const KINDS = {
  folder: { is: (found: Stats) => found.isDirectory(), not: 'no folder' },
  file: { is: (found: Stats) => found.isFile(), not: 'no plain file' },
} as const

const STICKY = 0o1000
const OTHERS_WRITE = 0o022

/**
 * False if there is nothing at the path. Code `input` for what posthaul did not make: another kind of thing, such as a
 * symbolic link, or another user's. Windows has no owners.
 */
export async function isOwn(path: string, kind: keyof typeof KINDS): Promise<boolean> {
  const found = await look(path)
  if (!found) return false
  const why = wrongKind(found, kind) ?? (isOurs(found) ? undefined : ownerOf(found))
  if (why !== undefined) throw strange(path, why)
  return true
}

/** The same for the folder that holds them all, which may be a shared one that keeps users apart, as /tmp does. */
export async function assertHome(path: string): Promise<void> {
  const found = await look(path)
  if (!found) throw strange(path, 'gone')
  const why = wrongKind(found, 'folder')
  if (why !== undefined) throw strange(path, why)
  if (process.getuid === undefined) return
  if (!isOurs(found) && found.uid !== 0) throw strange(path, ownerOf(found))
  const isOpen = (found.mode & OTHERS_WRITE) !== 0 && (found.mode & STICKY) === 0
  if (isOpen) throw strange(path, 'a folder in which other users can rename files')
}

/** Refuses, with code `input`, anything but a folder, such as a link to one: what it leads to would be emptied. */
export async function assertNoLink(path: string): Promise<void> {
  const found = await look(path)
  const why = found && wrongKind(found, 'folder')
  if (why === undefined) return
  throw new PosthaulError(`${path} is for work files, and it is ${why}`, {
    code: 'input',
    hint: 'remove it, and run the same command again',
  })
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function wrongKind(found: Stats, kind: keyof typeof KINDS): string | undefined {
  if (found.isSymbolicLink()) return 'a symbolic link'
  return KINDS[kind].is(found) ? undefined : KINDS[kind].not
}

function isOurs({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid()
}

function ownerOf({ uid }: Stats): string {
  return `the property of another user (uid ${uid})`
}

function strange(path: string, why: string): PosthaulError {
  return new PosthaulError(`${path} is ${why}, so work files are not safe there`, {
    code: 'input',
    hint: 'remove it if it is yours to remove, or name a folder of your own with --work-dir',
  })
}

/** Says whose folder it is, and so when it may go. */
const HOLDER = 'holder.json'

/**
 * Makes a private folder for what one run needs and none after it: in `home`, or the system's place for such (`TMPDIR`).
 * Those of killed runs with the same prefix are removed first. Code `input` where there is no room.
 */
export async function scratchFolder(prefix: string, home = tmpdir()): Promise<string> {
  await sweep(home, prefix)
  try {
    const folder = await mkdtemp(join(home, prefix))
    await writeFile(join(folder, HOLDER), JSON.stringify(await holderHere(prefix)), { mode: 0o600 })
    return folder
  } catch (error) {
    throw fileError(error, 'make a folder in', home)
  }
}

/** What can't be removed stays: it does no harm but take room. */
async function sweep(home: string, prefix: string): Promise<void> {
  const names = await readdir(home).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const folder = join(home, name)
    await removeIfDead(folder).catch(() => undefined)
  }
}

async function removeIfDead(folder: string): Promise<void> {
  if (!(await isOwn(folder, 'folder'))) return
  const holder = holderSchema.parse(JSON.parse(await readFile(join(folder, HOLDER), 'utf8')))
  if ((await lifeOf(holder)) === 'dead') await rm(folder, { recursive: true, force: true })
}
