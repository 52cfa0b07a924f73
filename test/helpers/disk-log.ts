import type * as fs from 'node:fs/promises'
import { basename } from 'node:path'

/** What was done to the disk, in order: `write a`, `sync a`, `rename a -> b`, `link a -> b`, `remove a`. */
export const diskLog: string[] = []

/** A temporary name without its random middle. */
function nameOf(path: unknown): string {
  return basename(String(path)).replace(/^\.(.+)\.[0-9a-f]{8}\.tmp$/, '$1 (draft)')
}

function logged(file: fs.FileHandle, name: string): fs.FileHandle {
  const methods = {
    write: 'write',
    writeFile: 'write',
    appendFile: 'write',
    sync: 'sync',
    datasync: 'sync',
  } as const
  for (const [method, word] of Object.entries(methods) as ['sync', string][]) {
    const original = file[method].bind(file)
    // Logged only when it is done: an operation that was only requested does not survive a power cut.
    const replaced = async (...given: []) => {
      const result = await original(...given)
      diskLog.push(`${word} ${name}`)
      return result
    }
    Object.assign(file, { [method]: replaced })
  }
  return file
}

/** node:fs/promises that keeps `diskLog`, for `vi.mock`. */
export function loggedDisk(real: typeof fs): typeof fs {
  const twoPaths =
    (word: string, work: typeof fs.rename): typeof fs.rename =>
    async (from, to) => {
      await work(from, to)
      diskLog.push(`${word} ${nameOf(from)} -> ${nameOf(to)}`)
    }
  return {
    ...real,
    open: async (path, ...more) => logged(await real.open(path, ...more), nameOf(path)),
    rename: twoPaths('rename', real.rename),
    link: twoPaths('link', real.link),
    rm: async (path, options) => {
      await real.rm(path, options)
      diskLog.push(`remove ${nameOf(path)}`)
    },
  }
}
