import { open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { errnoOf, fileError } from '../store/file-error.ts'
import { holderSchema, lifeOf } from '../store/holder.ts'
import { LocalStore, loadFile, publishIf, removeIf, versionOf } from '../store/local.ts'
import { FILE_MODE, makeFolder, replaceFile, syncFolder, TEMPORARY } from '../store/own-file.ts'
import type { Loaded, PutCondition, Store } from '../store/store.ts'
import { parsedOrNone } from '../text/json.ts'

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
async function sweepBeside(lock: string): Promise<void> {
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
  const named = writers.safeParse(parsedOrNone(await readFile(path, 'utf8')))
  const lives = named.success ? await Promise.all(named.data.map(lifeOf)) : []
  const areDead = lives.length > 0 && lives.every((life) => life === 'dead')
  const isOld = !lives.includes('alive') && Date.now() - (await stat(path)).mtimeMs > OLD_MS
  if (areDead || isOld) await rm(path, { force: true })
}

/** A small file that several processes replace, each only if it still holds what that process has read. */
export interface Cell {
  /** For messages. */
  readonly address: string
  /** The bytes, or undefined when there is no such file. */
  load(): Promise<Loaded | undefined>
  /**
   * Replaces the bytes, or makes them, and returns the version of the new ones. Code `mismatch` if the condition does not
   * hold, for another writer was first.
   */
  put(content: string | Uint8Array, condition?: PutCondition): Promise<string>
  /**
   * Takes the bytes away, if they still have this version; otherwise it throws as `put` does. A local file is removed.
   * In a bucket an empty one stays: not every service removes on a condition.
   */
  clear(version: string): Promise<void>
  /** The generation before the newest, where one is kept. */
  readonly previous?: Pick<Cell, 'address' | 'load'>
  /** Removes what dead writers left half written. Only a local file leaves any. */
  sweep?(): Promise<void>
}

/** A file of a store as a cell. The first `put` makes the folder of a local one. */
export function storeCell(store: Store, name: string): Cell {
  const address = store.address(name)
  if (store instanceof LocalStore) {
    const file = fileCell(address)
    const put: Cell['put'] = async (content, condition) => {
      await makeFolder(dirname(address))
      return file.put(content, condition)
    }
    return { ...file, put }
  }
  const put: Cell['put'] = async (content, condition) =>
    (await store.put(name, Buffer.from(content), condition)).version
  const clear: Cell['clear'] = async (version) => void (await put('', { version }))
  return { address, load: () => store.load(name), put, clear }
}

/** A file of this machine as a cell, whatever its name. Its folder has to exist. */
export function fileCell(path: string): Cell {
  return {
    address: path,
    load: () => loadFile(path),
    put: async (content, condition) => {
      await replaceFile(
        path,
        (file) => file.writeFile(content),
        (temporary) => publishIf(path, temporary, condition),
      )
      return versionOf(content)
    },
    clear: (version) => removeIf(path, version),
    sweep: () => sweepBeside(path),
  }
}

export function previousOf(path: string): string {
  return `${path}.previous`
}

/** Where the next generation is written, before it becomes the newest. */
export function draftOf(path: string): string {
  return `${path}.tmp`
}

export type GenerationsCell = Pick<Cell, 'address' | 'load' | 'put' | 'previous'>

/**
 * A file of this machine that keeps the generation before it: a bad disk takes one of them at most. Only the holder of a
 * lease writes it, so it takes no condition. The draft is always made anew: what has that name before, a link of somebody
 * else too, is removed, and never written to.
 */
export function generationsCell(path: string): GenerationsCell {
  return {
    address: path,
    load: () => loadFile(path),
    previous: { address: previousOf(path), load: () => loadFile(previousOf(path)) },
    async put(content) {
      await replaceGeneration(path, content).catch((error: unknown) => {
        throw fileError(error, 'write', path)
      })
      return versionOf(content)
    },
  }
}

async function replaceGeneration(path: string, content: string | Uint8Array): Promise<void> {
  const draft = draftOf(path)
  await unlink(draft).catch(unlessMissing)
  const file = await open(draft, 'wx', FILE_MODE)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(path, previousOf(path)).catch(unlessMissing)
  await rename(draft, path)
  // The folder too: after a power cut the renames themselves can be missing.
  await syncFolder(dirname(path))
}

function unlessMissing(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error
}
