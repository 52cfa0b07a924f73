import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { type Job, unitOrder } from '../job.ts'
import type { Pool } from '../pool.ts'
import { everyIdOf } from './closure.ts'
import { readForgetList } from './forget-list.ts'
import { digestOf, IdSet } from './id-set.ts'
import { readLinks } from './link-file.ts'
import { linksName } from './witness.ts'

/** Where the links are kept, and how the reading is told. */
export interface FindOptions {
  /** For hashes of links: 48 bytes for each pair of ids in a unit. They are removed again. */
  readonly folder: string
  readonly interrupted: AbortSignal
  progress(bytes: number): void
}

/**
 * Finds all ids of the people whom a job's list names: reads the whole input once for what it says of ids. The job it
 * returns leaves their records out. Code `input` if the list is not the one that the job was made with.
 */
export async function findForgotten(job: Job, pool: Pool, options: FindOptions): Promise<Job> {
  if (job.forget === undefined) return job
  const { folder, interrupted, progress } = options
  const salt = randomBytes(16).toString('hex')
  const ids = new IdSet()
  const { sha256 } = await readForgetList(job.forget.path, (id) => ids.add(digestOf(salt, id)))
  if (sha256 !== job.forget.sha256) {
    throw new PosthaulError(`${job.forget.path} was changed while it was read`, {
      code: 'input',
      hint: 'let nothing write to it, then run the same command again',
    })
  }
  pool.begin(job)
  const tasks = job.units.map(
    (_, unit) => ({ type: 'links', folder, salt, ...unitOrder(job, unit) }) as const,
  )
  await pool.run(tasks, 1, interrupted, { progress, done() {} })
  function* links() {
    for (const { unit } of tasks) yield* readLinks(folder, linksName(unit))
  }
  const { cells } = everyIdOf(ids, links)
  for (const { unit } of tasks) rmSync(join(folder, linksName(unit)), { force: true })
  return { ...job, forgotten: { salt, cells } }
}
