import { rm } from 'node:fs/promises'
import type { InputFile } from '../inputs/input-file.ts'
import { readSpread, type SpreadRecord } from '../inputs/spread.ts'
import { ClockGaps } from '../mapping/clock-gaps.ts'
import { makeEngine } from '../pipeline/engine.ts'
import { type ItemOutcome, RecordLoop } from '../pipeline/loop.ts'
import type { BuiltTable } from '../pipeline/side/built.ts'
import { addCounts, countOne } from '../record/notes.ts'
import { scratchFolder } from '../store/ownership.ts'
import { takeMapping } from '../transform/load-mapping.ts'
import { type Prepared, prepare } from '../transform/prepare.ts'
import { buildSmallTables } from './applied-mapping.ts'
import { Differing, shapeOf } from './differing-records.ts'
import { assertNotStopped } from './profile/profiles-of.ts'

/** A record of a sample that is worth a test, and what the source calls it. */
export interface TestExample {
  readonly about: string
  readonly record: SpreadRecord
}

/** What a mapping file makes of a sample. */
export type Trial = Awaited<ReturnType<typeof tried>>

interface TrialOptions {
  /** As they were named, for errors. */
  readonly asked: readonly string[]
  readonly records: number
  readonly stop: AbortSignal
}

/** Records that init writes tests of. */
const EXAMPLES = 3
/** A tenth of a second's work. */
const AT_ONCE = 500

/** Maps a sample by the text of a mapping file, in memory. Throws what a transform would. */
export async function tryMapping(
  text: string,
  inputs: readonly InputFile[],
  { asked, records, stop }: TrialOptions,
): Promise<Trial> {
  const mapping = await takeMapping(Buffer.from(text), 'mapping.yaml')
  const prepared = (switches: readonly string[]) =>
    prepare({ in: asked, with: switches, gzip: false, dryRun: true }, { mapping, inputs })
  const first = await prepared([])
  const { job, sides } = first
  if (!sides.some(({ inputs }) => inputs.length > 0)) return tried(first, prepared, [], { records, stop })
  const folder = await scratchFolder('posthaul-tables-')
  try {
    const built = await buildSmallTables(sides, { folder, columns: job.columns, stop })
    return await tried(first, prepared, built, { records, stop })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tried(
  first: Prepared,
  prepared: (switches: readonly string[]) => Promise<Prepared>,
  tables: readonly BuiltTable[],
  { records, stop }: Pick<TrialOptions, 'records' | 'stop'>,
) {
  const { job, preset, sides } = first
  const { columns, withTable } = job
  const spread = await readSpread(job.inputs, { records, columns, withTable, stop })
  const trial = await mapAll(first, tables, spread.records, stop)
  addCounts(trial.reasons, spread.refusedFor)
  const switches = []
  for (const [name, help] of Object.entries(preset.switches ?? {})) {
    // What a merge does can't be taken back, and no count speaks for it.
    if (name === 'merge-dangerously') continue
    const other = await mapAll(await prepared([name]), tables, spread.records, stop)
    if (other.events !== trial.events) switches.push({ name, help, more: other.events - trial.events })
  }
  return {
    ...trial,
    read: trial.read + spread.refusedCount,
    rejected: trial.rejected + spread.refusedCount,
    messages: {
      ...Object.fromEntries(spread.refused.map(({ reason, message }) => [reason, message])),
      ...trial.messages,
    },
    /** Switches of the preset that change what becomes of these records, with the events that each would add or take. */
    switches,
    /** Tables that the preset reads records together with. */
    sides: sides.map(({ table }) => table.name),
  }
}

async function mapAll(
  { job, sides }: Prepared,
  tables: readonly BuiltTable[],
  records: readonly SpreadRecord[],
  stop: AbortSignal,
) {
  // A switch may ask that a table is not joined.
  const sideTables = tables.filter(({ name }) => sides.some(({ table }) => table.name === name))
  const engine = await makeEngine({ ...job, sideTables })
  const counts = { read: 0, events: 0, rejected: 0, filtered: 0 }
  const reasons: Record<string, number> = {}
  const messages: Record<string, string> = {}
  const gaps = new ClockGaps()
  const kinds = new Differing()
  const abouts: string[] = []
  let at = 0
  const loop = new RecordLoop(engine, {
    take(outcome, item) {
      counts.read++
      abouts[at] ??= item.source ?? 'a record'
      if (outcome.status !== 'filtered' && !kinds.has(at))
        kinds.add(at, wordsOf(records[at]!, outcome, abouts[at]!))
      if (outcome.status === 'filtered') counts.filtered++
      else if (outcome.status === 'rejected') {
        counts.rejected++
        countOne(reasons, outcome.reason)
        messages[outcome.reason] ??= outcome.message
      } else {
        counts.events++
        const gap = engine.mapper.clockGap(outcome.instant)
        if (gap !== undefined) gaps.add(gap)
      }
    },
  })
  for (const [place, { bytes, number }] of records.entries()) {
    at = place
    loop.give(bytes, number)
    if (counts.read % AT_ONCE === 0) await assertNotStopped(stop)
  }
  engine.close()
  const { notes, inventory } = engine.takeCounts()
  return {
    ...counts,
    reasons,
    messages,
    notes,
    foreignClock: gaps.foreign(),
    members: inventory.members,
    examples: kinds.chosen(EXAMPLES).map((one) => ({ about: abouts[one]!, record: records[one]! })),
  }
}

const ANONYMOUS = Buffer.from('"$process_person_profile":false')

/** What kind of record it is. What is no JSON has no members: only one that became an event is looked into. */
function wordsOf({ bytes }: SpreadRecord, outcome: ItemOutcome, name: string): string[] {
  if (outcome.status !== 'event') return [`no event: ${outcome.reason}`]
  const { line } = outcome
  const isAnonymous = line.bytes.subarray(0, line.length).includes(ANONYMOUS)
  return [`name ${name}`, `shape ${shapeOf(bytes.toString('utf8'))}`, `anonymous ${isAnonymous}`]
}
