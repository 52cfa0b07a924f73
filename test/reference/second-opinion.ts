import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { explodedPreset } from '../../src/mapping/explode.ts'
import type { Mapping } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { NOW, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { type ItemOutcome, RecordLoop } from '../../src/pipeline/loop.ts'
import { PRESETS } from '../../src/presets/index.ts'
import { VERSION } from '../../src/version.ts'
import { seeded } from '../helpers/random.ts'
import { whyNoRecord } from './json.ts'
import { type Outcome, ReferenceMapper, type ReferenceOptions } from './mapper.ts'
import { RandomMappings } from './random-mappings.ts'
import { Chance, RandomRecords } from './random-records.ts'
import { type Mends, noMends } from './service-rules.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))
/** So many records follow each other through one engine. */
const SEQUENCE = 50

/** A preset with the records of its fixtures, and the events that they become. */
interface Corpus {
  readonly name: string
  readonly preset: Preset
  readonly records: readonly string[]
  readonly made: readonly string[]
}

export async function readCorpora(): Promise<Corpus[]> {
  const known = PRESETS.filter(({ name }) => existsSync(FIXTURES + name))
  return Promise.all(
    known.map(async ({ name, load }) => {
      const cases = readFixtures(FIXTURES + name)
      const records = cases
        .flatMap(({ input }) => [input].flat())
        .filter((record) => whyNoRecord(record) === undefined)
      return { name, preset: await load(), records, made: cases.flatMap(({ expected = [] }) => expected) }
    }),
  )
}

/** What engine and reference say of one record, as text to compare. */
interface Opinion {
  readonly outcomes: readonly string[]
  readonly mends: string
}

/** A record that the two map otherwise: it can be told again by its seed. */
interface Disagreement {
  readonly preset: string
  readonly mapping: string
  readonly switches: readonly string[]
  readonly record: string
  /** The records that the engine mapped before it, the last one last. */
  readonly before: readonly string[]
  readonly engine: Opinion
  readonly reference: Opinion
}

/**
 * Maps `count` records of a corpus: the reference each alone, one engine one after the other and some twice, under a mapping
 * file by chance for each sequence. Returns what they disagree on.
 */
export function secondOpinion(
  { name, preset, records, made }: Corpus,
  count: number,
  seed: number,
): Disagreement[] {
  const chance = new Chance(seeded(seed))
  const mappings = new RandomMappings(chance, preset, records, made)
  const random = new RandomRecords(chance, preset.vendor, records)
  const found: Disagreement[] = []
  for (let done = 0; done < count; done += SEQUENCE) {
    const { text, mapping } = mappings.next()
    const switches = chance.some(Object.keys(preset.switches ?? {}), 2)
    const options: ReferenceOptions = {
      switches: new Set(switches),
      importId: chance.pick([null, 'job-1']),
      hashKey: 'a key of the tests',
      now: NOW,
      version: VERSION,
    }
    const lines = Array.from({ length: SEQUENCE }, () =>
      wellFormed(
        mapping.explode === undefined || chance.oneIn(10) ? random.next() : random.batch(mapping.explode),
      ),
    )
    const reference = new ReferenceMapper(preset, mapping, options)
    const alone = lines.map((line) => referenceOpinion(reference, line))
    const engine = new EngineOpinions(preset, mapping, options)
    const order = chance.shuffled([...lines.keys(), ...chance.some([...lines.keys()], 10)])
    for (const [place, n] of order.entries()) {
      const own = engine.of(lines[n]!)
      if (
        own.mends === alone[n]!.mends &&
        own.outcomes.length === alone[n]!.outcomes.length &&
        own.outcomes.every((one, at) => one === alone[n]!.outcomes[at])
      )
        continue
      const before = order.slice(Math.max(0, place - 3), place).map((one) => lines[one]!)
      found.push({
        preset: name,
        mapping: text,
        switches,
        record: lines[n]!,
        before,
        engine: own,
        reference: alone[n]!,
      })
    }
  }
  return found
}

/** Text as it comes out of a file: half a surrogate pair can't be there unless it is escaped. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

function referenceOpinion(mapper: ReferenceMapper, line: string): Opinion {
  const mends = noMends()
  const outcomes = mapper.map(line, mends).map((one: Outcome) => {
    if ('rejected' in one) return `rejected: ${one.rejected}`
    if ('filtered' in one) return `filtered: ${one.filtered} ${said(one.seen?.link && one.seen)}`
    const { line: made, instant, ownId, givesWay, link, groupStates } = one.event
    return `${made} ${said({ instant, ownId, givesWay, link, groupStates })}`
  })
  return { outcomes, mends: said(mends) }
}

class EngineOpinions {
  readonly #engine: Engine
  readonly #loop: RecordLoop
  #outcomes: string[] = []

  constructor(preset: Preset, mapping: Mapping, options: ReferenceOptions) {
    this.#engine = new Engine(explodedPreset(preset, mapping.explode, mapping.explodeWith), mapping, options)
    this.#loop = new RecordLoop(this.#engine, { take: (outcome) => this.#outcomes.push(textOf(outcome)) })
  }

  of(line: string): Opinion {
    this.#outcomes = []
    this.#loop.give(Buffer.from(line))
    const { lone_surrogate, huge_number, big_integer, event_name_cut, id_trimmed, deep_array } =
      this.#engine.mapper.takeNotes().mends
    const mends: Mends = { lone_surrogate, huge_number, big_integer, event_name_cut, id_trimmed, deep_array }
    return { outcomes: this.#outcomes, mends: said(mends) }
  }
}

function textOf(outcome: ItemOutcome): string {
  if (outcome.status === 'rejected') return `rejected: ${outcome.reason}`
  const link = outcome.link && { anonymous: outcome.link.anonymous.text, user: outcome.link.user.text }
  if (outcome.status === 'filtered')
    return `filtered: ${outcome.reason} ${said(outcome.link && { instant: outcome.link.instant, link })}`
  const { instant, ownId, givesWay, groupStates } = outcome
  return `${outcome.text} ${said({ instant, ownId, givesWay, link, groupStates })}`
}

function said(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
