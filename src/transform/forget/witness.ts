import { readRecords } from '../../inputs/read.ts'
import type { People, RecordIds } from '../../mapping/id-links.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { mapJoined } from '../../pipeline/side/joiner.ts'
import type { Engine } from '../engine.ts'
import { type EventSink, ExplodingSink } from '../exploding-sink.ts'
import type { Job } from '../job.ts'
import { sequence } from '../run/frame.ts'
import { unitName } from '../task.ts'
import { LinkWriter } from './link-file.ts'

/** Switches by which a preset shows links that it keeps back otherwise. */
const TELLING = ['merge-dangerously', 'keep-session-events']

/** The job that shows all links: without the user's choice of events and days, since a link may be in what is left out. */
export function tellingAll(job: Job): Job {
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
}

/** The name of a unit's links in their folder. */
export function linksName(unit: number): string {
  return `${unitName(unit)}.links`
}

/** Reads one unit for its links. Throws when stopped. */
export async function witnessUnit(
  job: Job,
  number: number,
  { mapper, joiner, exploder, witness }: Engine & { readonly witness: Witness },
  { folder, salt }: { readonly folder: string; readonly salt: string },
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<void> {
  const unit = job.units[number]!
  const links = new LinkWriter(folder, linksName(number), salt)
  witness.begin(number, links)
  const sink: EventSink = {
    line(bytes, start, end) {
      return mapJoined(mapper, joiner, bytes, start, end).status
    },
    tooLong() {},
    reject: () => 'rejected',
    leaveOut() {},
    unusable() {},
  }
  try {
    await readRecords(job.inputs[unit.input]!, exploder ? new ExplodingSink(exploder, sink) : sink, {
      range: unit.range,
      columns: job.columns,
      withTable: job.withTable,
      progress,
      stop,
    })
    stop.throwIfAborted()
  } finally {
    links.close()
  }
}
