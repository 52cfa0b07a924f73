import { rm } from 'node:fs/promises'
import type { Io } from '../../io.ts'
import { buildTables } from '../../pipeline/side/build.ts'
import type { BuiltTable } from '../../pipeline/side/built.ts'
import { fileError } from '../../store/file-error.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { scratchFolder } from '../../store/scratch-folder.ts'
import { progressFor } from '../../telemetry/progress.ts'
import type { Job } from '../../transform/job.ts'
import { interruptedError } from '../../transform/pool.ts'
import type { Prepared } from '../../transform/prepare.ts'

/** A job with its side tables built. */
export interface JoinedJob {
  readonly job: Job
  /** What the manifest says of them besides. */
  readonly source: Readonly<Record<string, string>>
}

/** The side tables of a run, in a folder that lasts as long as the run. */
export class SideTables {
  readonly #prepared: Pick<Prepared, 'job' | 'sides'>
  readonly #io: Io
  #folder: string | undefined

  constructor(prepared: Pick<Prepared, 'job' | 'sides'>, io: Io) {
    this.#prepared = prepared
    this.#io = io
  }

  /** Builds them. The sample needs them, so this comes before the dataset is touched. */
  async join(): Promise<JoinedJob> {
    const { job, sides } = this.#prepared
    if (sides.length === 0) return { job, source: {} }
    this.#folder = await scratchFolder('posthaul-tables-')
    const sideTables = await this.#build(this.#folder)
    const given = sideTables.filter(({ sha256 }) => sha256 !== null)
    const fingerprints = given.map(({ name, rows, sha256 }) => `${name} (${rows} rows, sha256 ${sha256})`)
    return {
      job: { ...job, sideTables },
      source: given.length > 0 ? { side_tables: fingerprints.join(', ') } : {},
    }
  }

  /** Frees the disk: to be called when no worker reads them any more. */
  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }

  async #build(folder: string): Promise<readonly BuiltTable[]> {
    const { job, sides } = this.#prepared
    const { interrupted, telemetry } = this.#io
    const bytes = sides.flatMap(({ inputs }) => inputs).reduce((sum, { size }) => sum + size, 0)
    const progress = progressFor(telemetry)
    if (bytes > 0) progress.start('joining', bytes)
    try {
      const { columns } = job
      const read = (bytes: number) => progress.add(bytes)
      return await buildTables(sides, { folder, columns, stop: interrupted, progress: read })
    } catch (error) {
      if (interrupted.aborted) throw interruptedError()
      throw fileError(error, 'write', folder)
    } finally {
      progress.stop()
    }
  }
}

/** `--join users=s3://…` with the address of the storage service. */
export function joinAt(text: string, endpoint: string | undefined): string {
  const path = text.indexOf('=') + 1
  return path === 0 ? text : text.slice(0, path) + withEndpoint(text.slice(path), endpoint)
}
