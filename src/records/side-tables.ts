import { rm } from 'node:fs/promises'
import type { Io } from '../io.ts'
import type { SideTable } from '../mapping/side-table.ts'
import { buildTables, tableNotGiven } from '../pipeline/side/build.ts'
import { type BuiltTable, tablesSource } from '../pipeline/side/built.ts'
import { fileError } from '../store/file-error.ts'
import { scratchFolder } from '../store/ownership.ts'
import { progressFor } from '../telemetry/progress.ts'
import type { Job } from '../transform/job.ts'
import { interruptedError, type Pool } from '../transform/pool.ts'
import type { Prepared } from '../transform/prepare.ts'

/** A job with its side tables built. */
export interface JoinedJob {
  readonly job: Job
  /** What the manifest says of them besides. */
  readonly source: Readonly<Record<string, string>>
}

/** Who makes the tables that are made of records: the threads of a pool, or this thread (`here`). */
type RecordTables = Pool | 'here'

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
  async join(records: RecordTables): Promise<JoinedJob> {
    const { job, sides } = this.#prepared
    if (sides.length === 0) return { job, source: {} }
    this.#folder = await scratchFolder('posthaul-tables-')
    const sideTables = await this.#build(this.#folder, records)
    return { job: { ...job, sideTables }, source: tablesSource(sideTables) }
  }

  /** Frees the disk: to be called when no worker reads them any more. */
  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }

  async #build(folder: string, records: RecordTables): Promise<readonly BuiltTable[]> {
    const { job, sides } = this.#prepared
    const { interrupted, telemetry } = this.#io
    const isHere = ({ table }: Prepared['sides'][number]) =>
      records === 'here' || table.ofRecords === undefined
    const here = sides.filter(isHere)
    const others = sides.filter((side) => !isHere(side)).map(({ table }) => table)
    const units = others.length > 0 ? job.units : []
    const bytes = [
      ...here.flatMap(({ inputs }) => inputs.map(({ size }) => size)),
      ...units.map((unit) => unit.bytes),
    ].reduce((sum, size) => sum + size, 0)
    const progress = progressFor(telemetry)
    if (bytes > 0) progress.start('joining', bytes)
    const read = (bytes: number) => progress.add(bytes)
    try {
      const { columns } = job
      const built = await buildTables(here, { folder, columns, stop: interrupted, progress: read })
      const gathered = records === 'here' ? [] : await this.#gather(records, others, folder, read)
      const made = new Map([...built, ...gathered].map((table) => [table.name, table]))
      return sides.map(({ table }) => made.get(table.name) ?? tableNotGiven(table))
    } catch (error) {
      if (interrupted.aborted) throw interruptedError()
      throw fileError(error, 'write', folder)
    } finally {
      progress.stop()
    }
  }

  async #gather(
    pool: Pool,
    tables: readonly SideTable[],
    folder: string,
    read: (bytes: number) => void,
  ): Promise<BuiltTable[]> {
    const { job } = this.#prepared
    if (tables.length === 0 || job.inputs.length === 0) return []
    // Loaded here: what tries one record has no use for it.
    const { gatherTables } = await import('../transform/gather-rows.ts')
    pool.begin(job)
    return gatherTables(pool.pieces(this.#io.interrupted, read), job, tables, folder)
  }
}
