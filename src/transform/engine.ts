import { Exploder } from '../mapping/explode.ts'
import type { People } from '../mapping/id-links.ts'
import type { MapperOptions } from '../mapping/mapped.ts'
import { Mapper } from '../mapping/mapper.ts'
import { presetOf } from '../pipeline/preset-of.ts'
import { Joiner } from '../pipeline/side/joiner.ts'
import { VERSION } from '../version.ts'
import { FirstLinks } from './first-links.ts'
import { Forgotten } from './forget/forgotten.ts'
import type { Job } from './job.ts'
import { FrameTable } from './run/writer.ts'

/** What turns records into events. */
export interface Engine {
  readonly mapper: Mapper
  /** Of the lines that are held. */
  readonly frames: FrameTable
  /** Undefined where a record becomes one event. */
  readonly exploder: Exploder | undefined
  /** Undefined without side tables. */
  readonly joiner: Joiner | undefined
  /** Undefined where nobody is forgotten. */
  readonly forgotten: Forgotten | undefined
  /** The anonymous ids of all units that were mapped with it. */
  readonly links: FirstLinks
}

/** What a job's mapper is to know besides its preset and mapping. */
export function mapperOptions(job: Job): MapperOptions {
  const { now, switches, groupEventName, importId, hashKey } = job
  return {
    now,
    version: VERSION,
    switches: new Set(switches),
    groupEventName,
    importId,
    hashKey: hashKey?.text,
  }
}

/** Compiles a job's preset and mapping. `people` decides whose records are left out. */
export async function makeEngine(job: Job, people: People | undefined): Promise<Engine> {
  const { mapping, sideTables } = job
  const preset = await presetOf(job)
  const mapper = new Mapper(preset, mapping, { ...mapperOptions(job), people })
  const exploder = preset.explode && new Exploder(preset.explode, mapper.notes.mends)
  const joiner = sideTables.length > 0 ? new Joiner(preset.sideTables ?? [], sideTables) : undefined
  return {
    mapper,
    frames: new FrameTable(),
    exploder,
    joiner,
    forgotten: people instanceof Forgotten ? people : undefined,
    links: new FirstLinks(),
  }
}
