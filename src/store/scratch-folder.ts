import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileError } from './file-error.ts'
import { holderHere, holderSchema, lifeOf } from './holder.ts'
import { isOwn } from './ownership.ts'

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
