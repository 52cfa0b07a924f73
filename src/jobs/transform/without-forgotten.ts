import { rm } from 'node:fs/promises'
import type { Io } from '../../io.ts'
import { fileError, scratchFolder } from '../../store/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { type Job, leaveOutForgotten, type Pool } from '../../transform/index.ts'

/** The job that leaves out the people of its list, after a first reading of the whole input. */
export async function withoutForgotten(job: Job, pool: Pool, io: Io): Promise<Job> {
  const folder = await scratchFolder('posthaul-links-')
  const progress = progressFor(io.telemetry)
  progress.start(
    'looking for ids',
    job.units.reduce((sum, unit) => sum + unit.bytes, 0),
  )
  try {
    return await leaveOutForgotten(job, pool, folder, io.interrupted, (bytes) => progress.add(bytes))
  } catch (error) {
    throw fileError(error, 'write', folder)
  } finally {
    progress.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
