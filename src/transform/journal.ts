import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { bootId } from '../store/process-start.ts'
import type { Job } from './job.ts'

const JOB_FILE = 'job.json'

/** Version of the files in the work folder. Raise it when one changes its shape: an older journal is not used. */
const FORMAT = 3

/**
 * The journal of a transform under way, in its work folder. Every finished piece of work has one file with its result,
 * renamed into place after the piece's own files are written. So after a kill at any instant:
 *
 * - a piece with a result file is whole, and is not done again;
 * - a piece without one is done again, over the files it left;
 * - `job.json` fingerprints the command, the inputs (name, size, time) and the tool. Another fingerprint means another
 *   transform: the folder is emptied and nothing old is used.
 *
 * Nothing here is synced, which would cost more than the rest of a transform. After a kill the kernel still has what
 * was written. After a power cut it does not, so the fingerprint includes the machine's boot, and a transform from
 * before the boot starts over. The dataset's own files, outside the folder, are synced by the store.
 */
export class Journal {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Resumes the folder's job, with its clock, when it is the same one; otherwise starts afresh. */
  async begin(job: Job, tool: string): Promise<Job> {
    const fingerprint = fingerprintOf(job, tool, await boot())
    const known = this.#read<{ fingerprint: string; now: number }>(JOB_FILE)
    if (known?.fingerprint === fingerprint) return { ...job, now: known.now }
    mkdirSync(this.folder, { recursive: true })
    // First a fingerprint that fits no job: a kill while old results are removed must not leave half of them in use.
    this.#write(JOB_FILE, { fingerprint: '', now: job.now })
    for (const name of readdirSync(this.folder)) {
      if (name !== JOB_FILE) rmSync(join(this.folder, name), { recursive: true })
    }
    this.#write(JOB_FILE, { fingerprint, now: job.now })
    return job
  }

  /** The result of a finished piece, or undefined. */
  result<T>(piece: string): T | undefined {
    return this.#read<T>(`${piece}.done`)
  }

  finish(piece: string, result: unknown): void {
    this.#write(`${piece}.done`, result)
  }

  /** True when a transform was begun here. */
  get exists(): boolean {
    return existsSync(join(this.folder, JOB_FILE))
  }

  /** Forgets the transform. The job goes first: after a kill in between, nothing that is left is used. */
  remove(): void {
    rmSync(join(this.folder, JOB_FILE), { force: true })
    rmSync(this.folder, { recursive: true, force: true })
  }

  #write(name: string, value: unknown): void {
    const path = join(this.folder, name)
    writeFileSync(`${path}.tmp`, JSON.stringify(value))
    renameSync(`${path}.tmp`, path)
  }

  #read<T>(name: string): T | undefined {
    const path = join(this.folder, name)
    if (!existsSync(path)) return undefined
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as T
    } catch (error) {
      // The file was renamed into place, so it is whole unless the power failed, which leaves it empty.
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }
}

/** Names this boot of the machine; where the system has no name for it, by its minute. */
async function boot(): Promise<string> {
  return (await bootId()) ?? String(Math.round((Date.now() / 1000 - uptime()) / 60))
}

function fingerprintOf(job: Job, tool: string, bootName: string): string {
  const { now: _, ...rest } = job
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, tool, bootName, rest]))
    .digest('hex')
}
