import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { bootId } from '../store/process-start.ts'
import type { Job } from './job.ts'

const JOB_FILE = 'job.json'

/** Of the files in the work folder. Raised whenever one of them changes its shape: an older journal is not believed. */
const FORMAT = 2

/**
 * The journal of a transform under way, in its work folder. Every finished piece of work leaves one file with its
 * result, renamed into place after the files it speaks of are written. So after a kill at any instant:
 *
 * - a piece with a result file is whole, and is not done again;
 * - a piece without one is done anew, over whatever it left behind;
 * - `job.json` fingerprints the command, the inputs (name, size, time) and the tool. Another fingerprint means another
 *   transform: the folder is emptied and nothing old is believed.
 *
 * Nothing here is synced, which would cost more than all the rest: a kill leaves what was written with the kernel. A
 * power cut does not, so the fingerprint has the machine's boot in it, and a transform from before it starts over.
 * What leaves the folder, the dataset's own files, is synced by the store.
 */
export class Journal {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** The job to carry on with when the folder holds the same one, its clock included; otherwise a fresh start. */
  async begin(job: Job, tool: string): Promise<Job> {
    const fingerprint = fingerprintOf(job, tool, await boot())
    const known = this.#read<{ fingerprint: string; now: number }>(JOB_FILE)
    if (known?.fingerprint === fingerprint) return { ...job, now: known.now }
    mkdirSync(this.folder, { recursive: true })
    // A kill while old results go must leave a journal that is nobody's: half of them would be taken for all.
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

  /** Forgets the transform. The job goes first: after a kill in between, nothing that is left is believed. */
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
      // Renamed into place by this very program, so whole; unless the power failed, which leaves it empty.
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }
}

/** Names this boot of the machine; where the system has no name for it, by the minute. */
async function boot(): Promise<string> {
  return (await bootId()) ?? String(Math.round((Date.now() / 1000 - uptime()) / 60))
}

function fingerprintOf(job: Job, tool: string, bootName: string): string {
  const { now: _, ...rest } = job
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, tool, bootName, rest]))
    .digest('hex')
}
