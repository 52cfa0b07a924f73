import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { MIB } from '../../src/text/units.ts'

const FOLDER = '/dev/shm'
/** What the files of four workers take at their most, several times over. */
const LEAST_ROOM = 2048 * MIB

/**
 * A folder that Linux keeps in memory, if there is room in it: a container often has 64 MiB. None where TMPDIR says where
 * temporary files go. It goes away with this process, and with it what a test that was cut off has left.
 *
 * An import syncs its checkpoint for each batch, and a sync of a disk takes milliseconds in which nothing is tested. A kill
 * of a process loses nothing of either.
 */
export function memoryFolder(): string | undefined {
  if (!(MADE in shared)) shared[MADE] = makeFolder()
  return shared[MADE]
}

// vitest reads its settings, and this module, anew for each project: all share the folder.
const MADE = Symbol.for('posthaul.memory-folder')
const shared = globalThis as Record<symbol, string | undefined>

function makeFolder(): string | undefined {
  if (process.env.TMPDIR) return undefined
  try {
    accessSync(FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(FOLDER)
    if (bavail * bsize < LEAST_ROOM) return undefined
  } catch {
    return undefined
  }
  const folder = mkdtempSync(join(FOLDER, 'posthaul-run-'))
  // Some commands run as another user.
  chmodSync(folder, 0o755)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
