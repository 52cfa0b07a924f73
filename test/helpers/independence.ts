import { fileURLToPath } from 'node:url'
import type { Preset } from '../../src/mapping/preset.ts'
import { caseEngine, type FixtureOptions, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import type { Engine } from '../../src/pipeline/engine.ts'
import { type ItemOutcome, RecordLoop } from '../../src/pipeline/loop.ts'
import { mutated } from './mutated-records.ts'
import { seeded, shuffled } from './random.ts'

/** Records that are mapped by the same rules. */
interface RecordPool {
  readonly options: FixtureOptions
  readonly records: readonly string[]
}

const MUTATIONS = 2

/** The records of a preset's fixtures, and mutations of each, by the options that they are mapped with. */
export function poolsOf(vendor: string, seed: number): RecordPool[] {
  const random = seeded(seed)
  const pools = new Map<string, RecordPool & { readonly records: string[] }>()
  for (const { input, options = {} } of readFixtures(
    fileURLToPath(new URL(`../../fixtures/${vendor}`, import.meta.url)),
  )) {
    const key = JSON.stringify(options)
    const pool = pools.get(key) ?? { options, records: [] }
    pools.set(key, pool)
    for (const record of [input].flat()) {
      pool.records.push(record)
      for (let n = 0; n < MUTATIONS; n++) pool.records.push(mutated(record, random))
    }
  }
  // A sequence of one kind of record shows little: all are mapped by the plain rules, too.
  const all = [...pools.values()].flatMap(({ records }) => records)
  return [
    { options: {}, records: all },
    ...[...pools.values()].filter(({ options }) => Object.keys(options).length > 0),
  ]
}

const NO_COUNTS = { notes: undefined, inventory: undefined }

/** What an engine made of a record: its events, or why there is none, and what was counted of it. */
class Outcomes {
  readonly #loop: RecordLoop
  readonly #engine: Engine
  #made: string[] = []

  constructor(engine: Engine) {
    this.#engine = engine
    this.#loop = new RecordLoop(engine, { take: (outcome) => this.#made.push(textOf(outcome)) })
  }

  /** `counted`: with the notes and the members that were counted of it, which takes most of the time. */
  of(record: string, counted: boolean): { readonly made: string; readonly counts: string } {
    this.#made = []
    if (counted) this.#engine.takeCounts()
    this.#loop.give(Buffer.from(record))
    const { notes, inventory } = counted ? this.#engine.takeCounts() : NO_COUNTS
    return { made: this.#made.join('\n'), counts: JSON.stringify({ notes, inventory }, sorted) }
  }
}

function textOf(outcome: ItemOutcome): string {
  if (outcome.status !== 'event') return JSON.stringify(outcome)
  const { text, sender, link, groupStates, ownId, givesWay, instant } = outcome
  const ids = { sender: sender.text, from: link?.anonymous.text, to: link?.user.text }
  return `${text} ${JSON.stringify({ ...ids, groupStates, ownId, givesWay, instant })}`
}

function sorted(_: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].sort())
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** So many sequences go through one engine, one after the other: what stands before a record is all of them. */
const SEQUENCES_AN_ENGINE = 20
/** In one sequence of so many the counts are compared as well. */
const COUNTED = 5

/** What differs where records stand after others from what they become alone. */
export function independentSequences(
  preset: Preset,
  pools: readonly RecordPool[],
  { seed, sequences }: { readonly seed: number; readonly sequences: number },
): string[] {
  const random = seeded(seed)
  const faults: string[] = []
  const alone = new Map<string, ReturnType<Outcomes['of']>>()
  for (let n = 0; n < sequences && faults.length < 3; ) {
    const place = Math.floor(random() * pools.length)
    const { options, records } = pools[place]!
    const together = new Outcomes(caseEngine(preset, options))
    const before: string[] = []
    for (let end = Math.min(n + SEQUENCES_AN_ENGINE, sequences); n < end; n++) {
      const counted = n % COUNTED === 0
      for (const record of shuffled(records, random).slice(0, 2 + Math.floor(random() * 10))) {
        const key = `${place} ${record}`
        const expected = alone.get(key) ?? new Outcomes(caseEngine(preset, options)).of(record, true)
        alone.set(key, expected)
        const found = together.of(record, counted)
        if (found.made !== expected.made || (counted && found.counts !== expected.counts)) {
          const last = before.slice(-12).join('\n')
          faults.push(
            `after\n${last}\nthe record\n${record}\nbecomes\n${Object.values(found)}\nand alone\n${Object.values(expected)}`,
          )
        }
        before.push(record)
      }
    }
  }
  return faults.slice(0, 3)
}
