import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile } from '../inputs/input-file.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { type Engine, makeEngine } from '../pipeline/engine.ts'
import { type BuildOptions, buildTables, type SideInputs } from '../pipeline/side/build.ts'
import type { BuiltTable } from '../pipeline/side/built.ts'
import { makeFolder } from '../store/own-file.ts'
import { scratchFolder } from '../store/ownership.ts'
import { MIB } from '../text/units.ts'
import type { Job } from '../transform/job.ts'
import type { TransformRequest } from '../transform/make-job.ts'
import { type Known, prepare } from '../transform/prepare.ts'
import { type SampleOptions, type StudioSample, takeStudioSample } from './studio-sample.ts'
import { Tracer } from './tracer.ts'

/** Tables of more bytes are not joined: all of a table must be read before its first row can be found. */
const MOST_TABLE_BYTES = 256 * MIB

/** All that maps records by one mapping. `unjoined`: tables that are too large to be joined here. */
export type AppliedMapping = Awaited<ReturnType<MappingApplier['apply']>>

/** Of side tables, those that are small enough to be joined here. */
function bySize(sides: readonly SideInputs[]) {
  const bytesOf = ({ inputs }: SideInputs) => inputs.reduce((sum, { size }) => sum + size, 0)
  const small = sides.filter((side) => bytesOf(side) <= MOST_TABLE_BYTES)
  const unjoined = sides.filter((side) => !small.includes(side)).map(({ table }) => table.name)
  return { small, unjoined }
}

/** Builds the side tables that are small enough for a look at a sample. */
export async function buildSmallTables(sides: readonly SideInputs[], options: BuildOptions) {
  return buildTables(bySize(sides).small, options)
}

/**
 * Makes engines for mappings of one input. The sample and the side tables are read again only when a mapping asks for
 * other columns or tables.
 */
export class MappingApplier {
  readonly #request: TransformRequest
  readonly #inputs: readonly InputFile[]
  readonly #options: SampleOptions
  #sample: { readonly key: string; readonly taken: StudioSample } | undefined
  #tables: { readonly key: string; readonly built: readonly BuiltTable[] } | undefined
  #folder: string | undefined
  #sets = 0
  #open: Engine | undefined

  constructor(request: TransformRequest, inputs: readonly InputFile[], options: SampleOptions) {
    this.#request = request
    this.#inputs = inputs
    this.#options = options
  }

  /** Code `config`, `usage` or `input` for a mapping that can't be used. The engine before it can't be used any more. */
  async apply(mapping: MappingFile | undefined) {
    const known: Known = { inputs: this.#inputs, ...(mapping && { mapping }) }
    const { job, preset, sides } = await prepare(this.#request, known)
    const sample = await this.#sampleOf(job)
    const { built, unjoined } = await this.#tablesOf(job, sides)
    const joined = { ...job, sideTables: built }
    const engine = await makeEngine(joined)
    this.#open?.close()
    this.#open = engine
    const tracer = new Tracer(engine)
    return { job: joined, preset, engine, tracer, sample, unjoined }
  }

  /** Frees the disk. */
  async close(): Promise<void> {
    this.#open?.close()
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }

  async #sampleOf({ columns, withTable, inputs }: Job): Promise<StudioSample> {
    const key = JSON.stringify([columns, withTable, inputs.map(({ path, member }) => [path, member?.name])])
    if (this.#sample?.key !== key)
      this.#sample = { key, taken: await takeStudioSample(inputs, { columns, withTable }, this.#options) }
    return this.#sample.taken
  }

  async #tablesOf(job: Job, sides: readonly SideInputs[]) {
    const { small, unjoined } = bySize(sides)
    if (small.length === 0) return { built: [], unjoined }
    const paths = small.map(({ table, inputs }) => [table.name, ...inputs.map(({ path }) => path)])
    const key = JSON.stringify([job.preset, job.columns, paths])
    if (this.#tables?.key !== key) {
      this.#folder ??= await scratchFolder('posthaul-studio-')
      // The engine in use reads the tables before: each set has names of its own.
      const folder = join(this.#folder, String(this.#sets++))
      await makeFolder(folder)
      const { stop } = this.#options
      this.#tables = { key, built: await buildTables(small, { folder, columns: job.columns, stop }) }
    }
    return { built: this.#tables.built, unjoined }
  }
}
