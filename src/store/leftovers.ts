import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { TEMPORARY } from './atomic-file.ts'
import { holderSchema, lifeOf } from './holder.ts'

/** A file that says nothing of its writer is left alone for so long: its writer may live. */
const OLD_MS = 600_000

const writers = z.union([
  holderSchema.transform((holder) => [holder]),
  z.object({ holders: z.array(holderSchema) }).transform(({ holders }) => holders),
])

/**
 * Removes the temporary files that runs left beside a lock when they were killed: those of the lock itself, and of the
 * mutex under which it is replaced. Another run may be writing one at this moment, so a file goes only if all whom it
 * names are dead, or if it names nobody and is old. What can't be removed stays: it does no harm.
 */
export async function sweepBeside(lock: string): Promise<void> {
  const folder = dirname(lock)
  const own = basename(lock)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [, of] = TEMPORARY.exec(name) ?? []
    if (of !== undefined && isOf(of, own)) await sweepOne(join(folder, name)).catch(() => undefined)
  }
}

function isOf(name: string, lock: string): boolean {
  const mutex = `.${lock.replace(/^\./, '')}.lock`
  return name === lock || name === mutex || name.startsWith(`${mutex}.takeover`)
}

async function sweepOne(path: string): Promise<void> {
  const named = writers.safeParse(parsed(await readFile(path, 'utf8')))
  const lives = named.success ? await Promise.all(named.data.map(lifeOf)) : []
  const areDead = lives.length > 0 && lives.every((life) => life === 'dead')
  if (areDead || (await isOld(path, lives))) await rm(path, { force: true })
}

async function isOld(path: string, lives: readonly string[]): Promise<boolean> {
  if (lives.includes('alive')) return false
  return Date.now() - (await stat(path)).mtimeMs > OLD_MS
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
