import { randomBytes } from 'node:crypto'
import { PosthaulError } from '../../errors.ts'
import type { PieceHost } from '../host.ts'
import { type Job, unitOrder } from '../job.ts'

import { everyIdOf } from './closure.ts'
import { type ForgetList, readForgetList } from './forget-list.ts'
import { digestOf, IdSet } from './id-set.ts'
import { readLinks } from './link-file.ts'
import { linksName } from './witness.ts'

/** The ids in a job's list. Code `input` if it is not the list that the job was made with. */
export async function listedIds({ path, sha256 }: ForgetList, salt: string): Promise<IdSet> {
  const ids = new IdSet()
  const found = await readForgetList(path, (id) => ids.add(digestOf(salt, id)))
  if (found.sha256 === sha256) return ids
  throw new PosthaulError(`${path} was changed while it was read`, {
    code: 'input',
    hint: 'let nothing write to it, then run the same command again',
  })
}

/** Adds all other ids of the people whom `listed` ids name, by what files of links say. */
export function addAllIds(listed: IdSet, folder: string, files: readonly string[]): IdSet {
  function* links() {
    for (const file of files) yield* readLinks(folder, file)
  }
  return everyIdOf(listed, links)
}

/**
 * Finds all ids of the people whom a job's list names: reads the whole input once for what it says of ids. The job it
 * returns leaves their records out. `folder` is for hashes of links: 48 bytes for each pair of ids in a unit.
 */
export async function findForgotten(host: PieceHost, job: Job, folder: string): Promise<Job> {
  if (job.forget === undefined) return job
  const salt = randomBytes(16).toString('hex')
  const listed = await listedIds(job.forget, salt)
  await host.all(job.units.map((_, unit) => ({ type: 'links', folder, salt, ...unitOrder(job, unit) })))
  const files = job.units.map((_, unit) => linksName(unit))
  return { ...job, forgotten: { salt, cells: addAllIds(listed, folder, files).cells } }
}
