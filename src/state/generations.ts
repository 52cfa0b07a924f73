import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf, fileError } from '../store/file-error.ts'
import { loadFile, versionOf } from '../store/local.ts'
import { FILE_MODE, syncFolder } from '../store/own-file.ts'
import type { Cell } from './cell.ts'

/** The path of the generation before the newest. */
export function previousOf(path: string): string {
  return `${path}.previous`
}

/** Where the next generation is written, before it becomes the newest. */
export function draftOf(path: string): string {
  return `${path}.tmp`
}

/** A cell that keeps the generation before the newest. */
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
