import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { z } from 'zod'
import { errnoOf } from './file-error.ts'
import { bootId, isZombie, pidNamespace, processStart } from './process-start.ts'

/** A process that holds a lease or a mutex, as it is written down for others to judge. */
export const holderSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  /** The process's start by the kernel; null where it is not known. */
  process_start: z.string().nullable(),
  boot: z.string().nullable(),
  /** The process id's namespace; null where there are none. */
  pid_namespace: z.string().nullable(),
  since: z.string(),
  /** Random: differs between any two holders, also two of one process. */
  nonce: z.string(),
  /** What it works on, such as `import of events.ndjson`. */
  purpose: z.string(),
  /** Grows while the holder lives. */
  renewals: z.number().int().nonnegative(),
})

export type Holder = z.infer<typeof holderSchema>

export async function holderHere(purpose = ''): Promise<Holder> {
  return {
    pid: process.pid,
    host: hostname(),
    process_start: await processStart(process.pid),
    boot: await bootId(),
    pid_namespace: await pidNamespace(),
    since: new Date().toISOString(),
    nonce: randomUUID(),
    purpose,
    renewals: 0,
  }
}

/** What can be seen of a holder from here: `unseen` is one that may live or not. */
export type Life = 'alive' | 'dead' | 'unseen'

/**
 * Looks for the holder's process. It is certain only of a process that shares our numbering of processes: the same
 * boot of the same machine and the same namespace. A host's name tells nothing: a container that is started again on
 * another machine keeps its name, and mostly has process id 1 as well.
 */
export async function lifeOf(holder: Holder): Promise<Life> {
  if (!(await isNeighbour(holder))) return 'unseen'
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return 'dead'
  }
  if (await isZombie(holder.pid)) return 'dead'
  const started = await processStart(holder.pid)
  // Without the times of start, the process can be another one with the same id.
  if (holder.process_start === null || started === null) return 'unseen'
  return holder.process_start === started ? 'alive' : 'dead'
}

async function isNeighbour({ boot, host, pid_namespace }: Holder): Promise<boolean> {
  if (boot !== (await bootId())) return false
  const namespace = await pidNamespace()
  // Systems other than Linux name the host alone.
  if (boot === null) return host === hostname()
  return pid_namespace !== null && pid_namespace === namespace
}

/** `process 12 on web-1`. */
export function whoOf({ pid, host }: Holder): string {
  return `process ${pid} on ${host}`
}

/** `process 12 on web-1, since 2024-03-01T10:00:00.000Z: import of events.ndjson`. */
export function holderWords(holder: Holder): string {
  const { since, purpose } = holder
  return `${whoOf(holder)}, since ${since}${purpose === '' ? '' : `: ${purpose}`}`
}
