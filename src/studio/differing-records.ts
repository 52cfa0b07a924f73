import type { People } from '../mapping/mapped.ts'
import { makeEngine } from '../pipeline/engine.ts'
import { MICROS_PER_DAY } from '../text/units.ts'
import type { Job } from '../transform/job.ts'
import { Differing, shapeOf } from './differing.ts'
import { mapSample } from './model/mapped-sample.ts'
import { recordOf } from './record-book.ts'
import type { StudioRecord } from './studio-data.ts'
import { takeStudioSample } from './studio-sample.ts'
import { Tracer } from './tracer.ts'

/** Records of the sample that are chosen from. */
const SAMPLE = 1000

interface DifferingOptions {
  /** So many are wanted. */
  readonly records: number
  /** Whose records are left out. */
  readonly people: People | undefined
  /** Throws its reason. */
  readonly stop: AbortSignal
}

/**
 * Records that become events and differ from one another, each traced: by the names of their events, by what members they
 * have, by their days. They are of a sample that is spread over the whole input, in its order.
 */
export async function differingRecords(
  job: Job,
  { records: wanted, people, stop }: DifferingOptions,
): Promise<StudioRecord[]> {
  if (wanted === 0) return []
  const sample = await takeStudioSample(job.inputs, job, { records: SAMPLE, stop })
  const engine = await makeEngine(job, people)
  try {
    const { made } = mapSample(sample.records, engine, job.mapping)
    const kinds = new Differing()
    for (const { record, source, event } of made) {
      if (!event || kinds.has(record)) continue
      const day = Math.floor(event.instant / MICROS_PER_DAY)
      const text = sample.records[record]!.bytes.toString()
      kinds.add(record, [`name ${source ?? event.name}`, `shape ${shapeOf(text)}`, `day ${day}`])
    }
    const applied = { job, engine, sample, tracer: new Tracer(engine) }
    return kinds.chosen(wanted).map((number) => recordOf(applied, number)!)
  } finally {
    engine.close()
  }
}
