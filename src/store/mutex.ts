import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from './file-error.ts'
import { type Holder, holderHere, holderSchema, lifeOf } from './holder.ts'
import { temporaryBeside } from './own-file.ts'

/*
 * A mutex is a file that is held for the few milliseconds in which a local file is compared and replaced: a file
 * system has no compare-and-swap. It is made whole in one step (a hard link of a finished file), so it is never seen
 * half written, and it names its holder.
 *
 * A holder killed at that instant leaves its file behind. The next run on the same host sees that no such process is
 * alive; any other run waits until the file has not changed for SILENT_MS, a thousand times longer than a holder
 * needs. Two runs that find the same dead holder settle it by a second mutex, `<path>.takeover`, under which the
 * finding is checked again: one wins.
 */
const SILENT_MS = 10_000
const LOOK_MS = 20

/** Does `work` while no other process does its own under the same path. Waits for a holder that is at work. */
export async function underMutex<T>(path: string, work: () => Promise<T>): Promise<T> {
  const holder = await holderHere()
  await enter(path, holder)
  try {
    return await work()
  } finally {
    const now = await readHolder(path)
    if (now?.nonce === holder.nonce) await rm(path, { force: true })
  }
}

async function enter(path: string, holder: Holder): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    await writeFile(temporary, `${JSON.stringify(holder)}\n`, { flag: 'wx', flush: true })
    let found: Holder | undefined
    let foundAt = 0
    while (!(await linkUnlessTaken(temporary, path))) {
      const now = await readHolder(path)
      if (!now) continue
      if (now.nonce !== found?.nonce) [found, foundAt] = [now, performance.now()]
      const life = await lifeOf(now)
      const silent = life === 'unseen' && performance.now() - foundAt >= SILENT_MS
      if ((silent || life === 'dead') && (await takeOver(temporary, path, now))) return
      await sleep(LOOK_MS)
    }
  } catch (error) {
    throw fileError(error, 'lock', path)
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

/** True if the file that the dead holder left is now ours. */
function takeOver(temporary: string, path: string, dead: Holder): Promise<boolean> {
  return underMutex(`${path}.takeover`, async () => {
    if ((await readHolder(path))?.nonce !== dead.nonce) return false
    // While we hold the takeover mutex, no other run replaces a dead holder's file.
    await rename(temporary, path)
    return true
  })
}

async function linkUnlessTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return holderSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new PosthaulError(`${path} is not a lock file that posthaul wrote, so its owner is not known`, {
      code: 'locked',
      hint: `if no other run is working here, delete ${path}`,
      cause,
    })
  }
}
