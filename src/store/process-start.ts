import { readFile, readlink } from 'node:fs/promises'

/** When the process started, in kernel ticks since boot (Linux); null where the system does not say. */
export async function processStart(pid: number): Promise<string | null> {
  return (await statFields(pid))?.[19] ?? null
}

/** True for a process that has ended although its parent has not noticed: it still answers to signals. */
export async function isZombie(pid: number): Promise<boolean> {
  const state = (await statFields(pid))?.[0]
  return state === 'Z' || state === 'X'
}

/** The fields of /proc/<pid>/stat from the state on. */
async function statFields(pid: number): Promise<string[] | undefined> {
  const stat = await read(`/proc/${pid}/stat`)
  // `pid (name) state …`: the name may hold blanks and brackets, so count from the last bracket on.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Names this boot of the machine (Linux): after the next one, the same process id and ticks are another process. */
export async function bootId(): Promise<string | null> {
  return (await read('/proc/sys/kernel/random/boot_id'))?.trim() ?? null
}

/** Names the processes that share one numbering (Linux): in another container the same id is another process. */
export async function pidNamespace(): Promise<string | null> {
  try {
    return await readlink('/proc/self/ns/pid')
  } catch {
    return null
  }
}

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return null
  }
}
