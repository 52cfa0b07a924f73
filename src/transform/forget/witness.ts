import type { Mapping, People, RecordIds } from '../../mapping/index.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { RecordLoop } from '../../pipeline/loop.ts'
import type { UnitOrder, WorkerJob } from '../job.ts'
import { sequence } from '../run/frame.ts'
import { unitName } from '../task.ts'
import { LinkWriter } from './link-file.ts'

/** Switches by which a preset shows links that it keeps back otherwise. */
const TELLING = ['merge-dangerously', 'keep-session-events']

/** The job that shows all links: without the user's choice of events and days, since a link may be in what is left out. */
export function tellingAll(job: WorkerJob): WorkerJob {
  const mapping: Mapping = {
    ...job.mapping,
    events: { ...job.mapping.events, drop: [], keep: undefined },
    properties: { rename: {}, drop: [], set: {} },
    hash: [],
    filter: { from: undefined, to: undefined, where: {} },
  }
  return { ...job, mapping, switches: [...job.switches, ...TELLING] }
}

/** Writes down what records say of ids, and leaves all of them out: no event is made. */
export class Witness implements People {
  #links: LinkWriter | undefined
  #unit = 0
  #index = 0

  /** Begins a unit. */
  begin(unit: number, links: LinkWriter): void {
    this.#links = links
    this.#unit = unit
    this.#index = 0
  }

  leavesOut({ links, instant }: RecordIds): boolean {
    for (const link of links) this.#links!.write(link, instant, sequence(this.#unit, this.#index++))
    return true
  }

  isForgotten(): boolean {
    return false
  }

  isNamedIn(): boolean {
    return false
  }
}

/** The name of a unit's links in their folder. */
export function linksName(unit: number): string {
  return `${unitName(unit)}.links`
}

/** What reads units for their links, one after the other. */
export interface UnitWitness {
  /** See `tellingAll`. */
  readonly job: WorkerJob
  /** Told by its mapper. */
  readonly engine: Engine
  readonly witness: Witness
}

/** Reads one unit for its links; returns how many records it has. Throws when stopped. */
export async function witnessUnit(
  { job, engine, witness }: UnitWitness,
  { unit, inputs, range, folder, salt }: UnitOrder & { readonly folder: string; readonly salt: string },
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<number> {
  const { columns, withTable } = job
  const links = new LinkWriter(folder, linksName(unit), salt)
  witness.begin(unit, links)
  const loop = new RecordLoop(engine, { take() {} })
  try {
    await loop.read(inputs, { range, columns, withTable, progress, stop })
  } finally {
    links.close()
  }
  return loop.records.read
}
