import type { People } from '../mapping/mapped.ts'
import { makeEngine } from '../pipeline/engine.ts'
import { members } from '../record/json-values.ts'
import { countOne } from '../record/notes.ts'
import { MICROS_PER_DAY } from '../text/units.ts'
import type { Job } from '../transform/job.ts'
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

/** What the first thing that is told of a record adds, and the others: a name, a shape, a day. */
const WEIGHTS = [2, 1, 1]

/** Chooses of some records those that differ most from one another. */
export class Differing {
  readonly #kinds = new Map<number, readonly number[]>()
  /** Of many records that are alike the words are kept once. */
  readonly #words = new Map<string, number>()

  has(record: number): boolean {
    return this.#kinds.has(record)
  }

  /** `words`: what kind of record it is, its name first. */
  add(record: number, words: readonly string[]): void {
    const places = words.map((word) => {
      const place = this.#words.get(word) ?? this.#words.size
      this.#words.set(word, place)
      return place
    })
    this.#kinds.set(record, places)
  }

  /** The records that together show most: one after the other, of equal ones that of the commonest name. */
  chosen(wanted: number): number[] {
    const common: Record<number, number> = {}
    for (const [name] of this.#kinds.values()) countOne(common, String(name))
    const left = [...this.#kinds].sort(([, [a]], [, [b]]) => common[b!]! - common[a!]!)
    const seen = new Set<number>()
    const news = (own: readonly number[]) =>
      own.reduce((sum, word, at) => sum + (seen.has(word) ? 0 : WEIGHTS[at]!), 0)
    const picked: number[] = []
    while (picked.length < wanted && left.length > 0) {
      const best = left.reduce((a, b) => (news(b[1]) > news(a[1]) ? b : a))
      left.splice(left.indexOf(best), 1)
      picked.push(best[0])
      for (const word of best[1]) seen.add(word)
    }
    return picked.sort((a, b) => a - b)
  }
}

/** The names of all members, of objects in it too. */
export function shapeOf(json: string): string {
  return members(json)
    .map(([name, value]) => `${name}${value.startsWith('{') ? `{${shapeOf(value)}}` : ''}`)
    .sort()
    .join(',')
}
