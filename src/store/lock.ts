import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { temporaryBeside } from './atomic-file.ts'
import { errnoOf, fileError } from './file-error.ts'
import { bootId, isZombie, processStart } from './process-start.ts'

/**
 * A lock file keeps two runs apart. It is made whole in one step (a hard link of a finished file), so it is never
 * seen half written, and it names its holder: process, host, boot and the process's start.
 *
 * A holder killed at any instant leaves its file behind; the next run on the same host sees that no such process
 * is alive, and takes the lock over. A recycled process id is told apart by its start time, a rebooted machine by
 * its boot. Two runs that find the same dead holder settle it by a second lock, `<path>.takeover`, under which the
 * finding is checked again: one wins.
 *
 * It refuses to guess about another host, whose processes it cannot see, and about a file it cannot read.
 */
const holderSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  /** The process's start by the kernel; null where it is not known. */
  process_start: z.string().nullable(),
  boot: z.string().nullable(),
  since: z.string(),
  /** Random: differs between any two holders, also two of one process. */
  nonce: z.string(),
})

type Holder = z.infer<typeof holderSchema>

export interface Lock {
  readonly path: string
  /** Releases the lock; a file that is no longer ours is left alone. Safe to call twice. */
  release(): Promise<void>
}

/** Who holds the lock file at `path`, in words; undefined when no live run does. */
export async function lockedBy(path: string): Promise<string | undefined> {
  const holder = await holderOf(path)
  return holder && (await isAlive(holder)) ? wordsOf(holder) : undefined
}

/** Takes the lock file at `path`, from a dead holder if need be. Code `locked` when a live run holds it. */
export async function acquireLock(path: string): Promise<Lock> {
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    process_start: await processStart(process.pid),
    boot: await bootId(),
    since: new Date().toISOString(),
    nonce: randomUUID(),
  }
  const temporary = temporaryBeside(path)
  try {
    await writeFile(temporary, `${JSON.stringify(holder)}\n`, { flag: 'wx', flush: true })
    if (!(await linkUnlessTaken(temporary, path))) await takeOver(temporary, path)
  } catch (error) {
    throw fileError(error, 'lock', path)
  } finally {
    await rm(temporary, { force: true })
  }
  return { path, release: () => release(path, holder.nonce) }
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

async function takeOver(temporary: string, path: string): Promise<void> {
  const found = await holderOf(path)
  if (found && (await isAlive(found))) throw locked(path, found)
  const guard = await acquireLock(`${path}.takeover`)
  try {
    const now = await holderOf(path)
    if (now && now.nonce !== found?.nonce) throw locked(path, now)
    // While we hold the takeover lock, no other run replaces a dead holder's file.
    if (now) await rename(temporary, path)
    else if (!(await linkUnlessTaken(temporary, path))) throw locked(path, await holderOf(path))
  } finally {
    await guard.release()
  }
}

async function release(path: string, nonce: string): Promise<void> {
  const holder = await holderOf(path)
  if (holder?.nonce === nonce) await rm(path, { force: true })
}

async function holderOf(path: string): Promise<Holder | undefined> {
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
    throw new PosthaulError(`${path} is no lock file that posthaul wrote, so nobody can say whose it is`, {
      code: 'locked',
      hint: `if no other run is working here, delete ${path}`,
      cause,
    })
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  // Another machine's processes cannot be seen from here.
  if (holder.host !== hostname()) return true
  const boot = await bootId()
  if (holder.boot !== null && boot !== null && holder.boot !== boot) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false
  }
  if (await isZombie(holder.pid)) return false
  const started = await processStart(holder.pid)
  return holder.process_start === null || started === null || holder.process_start === started
}

function locked(path: string, holder: Holder | undefined): PosthaulError {
  const here = holder?.host === hostname()
  const who = holder ? wordsOf(holder) : 'just started'
  return new PosthaulError(`another run holds ${path} (${who})`, {
    code: 'locked',
    hint:
      here || !holder
        ? 'wait for it to end, or stop it'
        : `if ${holder.host} no longer runs it, delete ${path}`,
  })
}

function wordsOf({ pid, host, since }: Holder): string {
  return `process ${pid} on ${host}, since ${since}`
}
