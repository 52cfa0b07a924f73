import type * as fs from 'node:fs/promises'
import { basename } from 'node:path'

/** What was done to the disk, in order: `write a`, `sync a`, `rename a -> b`, `link a -> b`, `remove a`. */
export const diskLog: string[] = []

/** Of a temporary name, whose middle is by chance, what it stands for. */
function nameOf(path: unknown): string {
  return basename(String(path)).replace(/^\.(.+)\.[0-9a-f]{8}\.tmp$/, '$1 (draft)')
}

function logged(file: fs.FileHandle, name: string): fs.FileHandle {
  const methods = { write: 'write', writeFile: 'write', sync: 'sync', datasync: 'sync' } as const
  for (const [method, word] of Object.entries(methods) as ['sync', string][]) {
    const original = file[method].bind(file)
    // Written down when it is done: what has only been asked for does not outlive a power cut.
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
