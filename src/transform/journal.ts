import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../store/atomic-file.ts'
import type { Job } from './job.ts'

const JOB_FILE = 'job.json'

/**
 * The journal of a transform under way, in its work folder. Every finished piece of work leaves one file with its
 * result, written atomically after the files it speaks of are synced. So after a kill at any instant:
 *
 * - a piece with a result file is whole, and is not done again;
 * - a piece without one is done anew, over whatever it left behind;
 * - `job.json` fingerprints the command, the inputs (name, size, time) and the tool. Another fingerprint means another
 *   transform: the folder is emptied and nothing old is believed.
 */
export class Journal {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** The job to carry on with when the folder holds the same one, its clock included; otherwise a fresh start. */
  async begin(job: Job, tool: string): Promise<Job> {
    const fingerprint = fingerprintOf(job, tool)
    const known = this.#read<{ fingerprint: string; now: number }>(JOB_FILE)
    if (known?.fingerprint === fingerprint) return { ...job, now: known.now }
    this.remove()
    mkdirSync(this.folder, { recursive: true })
    await writeFileAtomic(join(this.folder, JOB_FILE), JSON.stringify({ fingerprint, now: job.now }))
    return job
  }

  /** The result of a finished piece, or undefined. */
  result<T>(piece: string): T | undefined {
    return this.#read<T>(`${piece}.done`)
  }

  async finish(piece: string, result: unknown): Promise<void> {
    await writeFileAtomic(join(this.folder, `${piece}.done`), JSON.stringify(result))
  }

  /** True when a transform was begun here. */
  get exists(): boolean {
    return existsSync(join(this.folder, JOB_FILE))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #read<T>(name: string): T | undefined {
    const path = join(this.folder, name)
    // Written atomically by this very program: whole, or not there.
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined
  }
}

function fingerprintOf(job: Job, tool: string): string {
  const { now: _, ...rest } = job
  return createHash('sha256')
    .update(JSON.stringify([tool, rest]))
    .digest('hex')
}
