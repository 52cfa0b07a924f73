import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The folder itself if it is there; else the one above it in which it would be made. Undefined for a place in a file. */
export async function nearestFolder(path: string): Promise<string | undefined> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found) return found.isDirectory() ? at : undefined
    if (at === dirname(at)) return undefined
  }
}
