import { rm } from 'node:fs/promises'
import type { Io } from '../../io.ts'
import { fileError } from '../../store/file-error.ts'
import { scratchFolder } from '../../store/scratch-folder.ts'
import { progressFor } from '../../telemetry/progress.ts'
import type { Job } from '../../transform/job.ts'
import type { Pool } from '../../transform/pool.ts'
import { leaveOutForgotten } from '../../transform/transform.ts'

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
