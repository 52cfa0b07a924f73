import { MICROS_PER_HOUR } from '../../text/index.ts'
import {
  bucketsOf,
  cutUnits,
  ENTRY_BYTES,
  type FleetPlan,
  packGroups,
  stagesOf,
  unpackedBytes,
} from '../../transform/index.ts'

/**
 * Processor time of a record in microseconds: a part that each takes, and one for each of its bytes. From the two whole
 * transforms of test/bench/results.md: 14.3 at 650 bytes (mixpanel), 25.2 at 1,600 (amplitude).
 */
const CPU = { record: 7, byte: 0.0115 }
/** Of that, what map takes; most of the rest is of seal. See test/bench/fleet/costs.ts. */
const MAP_SHARE = 0.6
/** Objects of a map task beside its runs: observations, rejects, counts, result, the record of its try. */
const MAP_OBJECTS = 5
/** Of a task of a stage before map: its file, its result, the record of its try. */
const GATHER_OBJECTS = 3
/** What a reading for tables or links takes of a whole transform. */
const GATHER_SHARE = 0.4
/** Of a generate task: links, result, the record of its try. Of a seal task the last two. */
const GENERATE_OBJECTS = 3
const SEAL_OBJECTS = 2
/** Stages that every plan has, the last ones. */
const MAPPING_STAGES = 3

/** What is known of the input before all of it is read. */
export interface KnownInput {
  readonly records: number
  /** Bytes of all records, as lines of JSON. */
  readonly recordBytes: number
  /** Events that a record becomes, and their bytes each. */
  readonly eventsPerRecord: number
  readonly eventBytes: number
}

/** What a plan will take, about. */
export interface Estimate {
  readonly records: number
  readonly events: number
  /** As the inputs are stored. */
  readonly inputBytes: number
  readonly coreHours: number
  /** Until the end with a core for each task: the map task that has most holds up the stages after it. */
  readonly hoursAtOnce: number
  /** Written by map, and read once by seal. */
  readonly shuffleBytes: number
  /** In the fleet's store, at most. */
  readonly objects: number
  /** Tasks that have work. A seal task has some if it has a day, which nobody knows before. */
  readonly busy: { readonly map: number; readonly generate: number }
  /** The map task that has most, in bytes of records. */
  readonly largest: LargestTask
}

export interface LargestTask {
  readonly index: number
  readonly bytes: number
  /** Of the tasks that have work. */
  readonly meanBytes: number
  /** Set if one file, which can't be read in pieces, is more than a mean task: more tasks would not help. */
  readonly file: { readonly name: string; readonly bytes: number; readonly stored: number } | undefined
}

export function estimate(
  plan: Pick<FleetPlan, 'inputs' | 'firstUnits' | 'tasks' | 'sides' | 'forget'>,
  known: KnownInput,
): Estimate {
  const { inputs, tasks } = plan
  const { records, recordBytes, eventsPerRecord, eventBytes } = known
  const events = Math.round(records * eventsPerRecord)
  const { largest, busy } = shares(plan, recordBytes)
  const generate = busy === 0 ? 0 : bucketsOf(tasks)
  const groups = packGroups(tasks)
  const gathers = stagesOf(plan).slice(0, -MAPPING_STAGES)
  const once = (records * CPU.record + recordBytes * CPU.byte) / MICROS_PER_HOUR
  // Half of these stages read, and the other half is short.
  const gathering = (once * GATHER_SHARE * gathers.length) / 2
  const longest = recordBytes === 0 ? 0 : Math.max(1 / tasks, largest.bytes / recordBytes)
  return {
    records,
    events,
    inputBytes: inputs.reduce((sum, { size }) => sum + size, 0),
    coreHours: once + gathering,
    hoursAtOnce: gathering * longest + once * (MAP_SHARE * longest + (1 - MAP_SHARE) / tasks),
    shuffleBytes: Math.round(events * (eventBytes + ENTRY_BYTES)),
    objects:
      busy * (groups + MAP_OBJECTS) +
      generate * (groups + GENERATE_OBJECTS) +
      tasks * (SEAL_OBJECTS + gathers.length * GATHER_OBJECTS),
    busy: { map: busy, generate },
    largest,
  }
}

/** How the records are shared out to the map tasks. */
function shares(
  { inputs, firstUnits, tasks }: Pick<FleetPlan, 'inputs' | 'firstUnits' | 'tasks'>,
  recordBytes: number,
): { readonly largest: LargestTask; readonly busy: number } {
  const units = cutUnits(inputs)
  const total = inputs.reduce((sum, input) => sum + unpackedBytes(input, input.size), 0)
  const scale = total === 0 ? 0 : recordBytes / total
  const weightOf = (unit: (typeof units)[number]) => unpackedBytes(inputs[unit.input]!, unit.bytes) * scale
  const loads = Array.from({ length: tasks }, (_, task) =>
    units.slice(firstUnits[task], firstUnits[task + 1]),
  )
  const weights = loads.map((load) => load.reduce((sum, unit) => sum + weightOf(unit), 0))
  const busy = loads.filter((load) => load.length > 0).length
  const index = weights.reduce((most, weight, task) => (weight > weights[most]! ? task : most), 0)
  const meanBytes = busy === 0 ? 0 : Math.round(recordBytes / busy)
  const whole = loads[index]!.filter(({ range }) => range === undefined)
  const heaviest = whole.sort((a, b) => weightOf(b) - weightOf(a))[0]
  const isMore = heaviest !== undefined && tasks > 1 && weightOf(heaviest) > recordBytes / tasks
  return {
    busy,
    largest: {
      index,
      bytes: Math.round(weights[index]!),
      meanBytes,
      file: isMore
        ? {
            name: inputs[heaviest.input]!.name,
            bytes: Math.round(weightOf(heaviest)),
            stored: heaviest.bytes,
          }
        : undefined,
    },
  }
}
