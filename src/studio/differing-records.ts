import type { People } from '../mapping/mapped.ts'
import { makeEngine } from '../pipeline/engine.ts'
import { countOne } from '../record/notes.ts'
import { MICROS_PER_DAY } from '../text/units.ts'
import type { Job } from '../transform/job.ts'
import { mapSample } from './model/mapped-sample.ts'
import { RecordBook } from './record-book.ts'
import type { StudioRecord } from './studio-data.ts'
import { takeStudioSample } from './studio-sample.ts'
import { shapeOf } from './test-examples.ts'
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
    const facets = new Map<number, readonly string[]>()
    for (const { record, source, event } of made) {
      if (!event || facets.has(record)) continue
      const day = Math.floor(event.instant / MICROS_PER_DAY)
      facets.set(record, [
        `name ${source ?? event.name}`,
        `shape ${shapeOf(sample.records[record]!.bytes.toString())}`,
        `day ${day}`,
      ])
    }
    const book = new RecordBook({ job, engine, sample, tracer: new Tracer(engine) }, { made })
    return chosen(facets, wanted).map((number) => book.one(number)!)
  } finally {
    engine.close()
  }
}

/** What a name, a shape and a day add that no record before has shown. */
const WEIGHTS = [2, 1, 1]

/** The records that together show most: one after the other, of equal ones that of the commonest name. */
function chosen(facets: ReadonlyMap<number, readonly string[]>, wanted: number): number[] {
  const common: Record<string, number> = Object.create(null)
  for (const [name] of facets.values()) countOne(common, name!)
  const left = [...facets].sort(([, [a]], [, [b]]) => common[b!]! - common[a!]!)
  const seen = new Set<string>()
  const news = (own: readonly string[]) =>
    own.reduce((sum, facet, at) => sum + (seen.has(facet) ? 0 : WEIGHTS[at]!), 0)
  const picked: number[] = []
  while (picked.length < wanted && left.length > 0) {
    const best = left.reduce((a, b) => (news(b[1]) > news(a[1]) ? b : a))
    left.splice(left.indexOf(best), 1)
    picked.push(best[0])
    for (const facet of best[1]) seen.add(facet)
  }
  return picked.sort((a, b) => a - b)
}
