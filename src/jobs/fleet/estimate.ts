import { type InputFile, type RecordSink, readRecords } from '../../inputs/index.ts'
import { MIB, MICROS_PER_HOUR, type Stage } from '../../text/index.ts'
import {
  bucketsOf,
  cutUnits,
  ENTRY_BYTES,
  type FleetPlan,
  gatheredTables,
  interruptedError,
  type Job,
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
interface KnownInput {
  readonly records: number
  /** Bytes of all records, as lines of JSON. */
  readonly recordBytes: number
  /** Events that a record becomes, and their bytes each. */
  readonly eventsPerRecord: number
  readonly eventBytes: number
}

/** What a plan will take, about. */
export type Estimate = ReturnType<typeof estimate>

interface LargestTask {
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
) {
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
    /** As the inputs are stored. */
    inputBytes: inputs.reduce((sum, { size }) => sum + size, 0),
    coreHours: once + gathering,
    /** Until the end with a core for each task: the map task that has most holds up the stages after it. */
    hoursAtOnce: gathering * longest + once * (MAP_SHARE * longest + (1 - MAP_SHARE) / tasks),
    /** Written by map, and read once by seal. */
    shuffleBytes: Math.round(events * (eventBytes + ENTRY_BYTES)),
    /** In the fleet's store, at most. */
    objects:
      busy * (groups + MAP_OBJECTS) +
      generate * (groups + GENERATE_OBJECTS) +
      tasks * (SEAL_OBJECTS + gathers.length * GATHER_OBJECTS),
    /** Tasks that have work. A seal task has some if it has a day, which nobody knows before. */
    busy: { map: busy, generate },
    /** The map task that has most, in bytes of records. */
    largest,
  }
}

/** How the records are shared out to the map tasks. */
function shares(
  { inputs, firstUnits, tasks }: Pick<FleetPlan, 'inputs' | 'firstUnits' | 'tasks'>,
  recordBytes: number,
): { readonly largest: LargestTask; readonly busy: number } {
  const total = inputs.reduce((sum, input) => sum + unpackedBytes(input, input.size), 0)
  const scale = total === 0 ? 0 : recordBytes / total
  const weightOf = ({ input, bytes }: Load[number]) => unpackedBytes(inputs[input]!, bytes) * scale
  const loads = loadsOf({ inputs, firstUnits })
  const weights = loads.map((load) => load.reduce((sum, unit) => sum + weightOf(unit), 0))
  const busy = loads.filter((load) => load.length > 0).length
  const index = weights.reduce((most, weight, task) => (weight > weights[most]! ? task : most), 0)
  const meanBytes = busy === 0 ? 0 : Math.round(recordBytes / busy)
  const whole = loads[index]!.filter(({ range }) => range === undefined)
  const heaviest = whole.sort((a, b) => weightOf(b) - weightOf(a))[0]
  const isMore = heaviest !== undefined && tasks > 1 && weightOf(heaviest) > recordBytes / tasks
  const file = isMore
    ? { name: inputs[heaviest.input]!.name, bytes: Math.round(weightOf(heaviest)), stored: heaviest.bytes }
    : undefined
  return { busy, largest: { index, bytes: Math.round(weights[index]!), meanBytes, file } }
}

type Load = ReturnType<typeof cutUnits>

/** The units of each map task. */
function loadsOf({ inputs, firstUnits }: Pick<FleetPlan, 'inputs' | 'firstUnits'>): Load[] {
  const units = cutUnits(inputs)
  return firstUnits.slice(0, -1).map((first, task) => units.slice(first, firstUnits[task + 1]))
}

/** A stage of tasks, or the one job after them. */
type JobStage = Stage | 'finish'

/** What a task may use. */
interface Resources {
  readonly memoryMiB: number
  readonly diskGiB: number
}

const GIB = 1024 * MIB

/** How much larger records are than a file that packs them, at most: gzip leaves a tenth of events. */
const UNPACKED = 10
/** Events are larger than their records, and runs are merged into others. */
const SCRATCH = 1.5
/** Of a long history a day has less than this share of the input. A short one may be a single day. */
const DAY_SHARE = 1 / 50
const SHORT_HISTORY = 4 * GIB

/** Of a record, the share that a table of records keeps, at most. Each task that looks up rows has the whole table. */
const TABLE_SHARE = 0.1

/** Of stages, in MiB. A seal task's table of 2^23 uuids takes 470, and its buffers the rest. */
const MEMORY: Readonly<Record<JobStage, number>> = {
  rows: 768,
  tables: 768,
  links: 768,
  people: 768,
  map: 768,
  generate: 1024,
  seal: 1024,
  finish: 768,
}
/** Bytes of memory for each id to forget: see IdSet. A person has several, and a set that grows is there twice. */
const ID_BYTES = 512

interface TaskNeeds {
  readonly resources: Readonly<Record<JobStage, Resources>>
  /** Bytes of the largest day that seal has room for. Nobody knows before map how large it is. */
  readonly dayBytes: number
}

/** What a task of each stage may use, by the plan's input. */
export function taskNeeds(plan: FleetPlan): TaskNeeds {
  const mapped = largestShare(plan)
  const total = plan.inputs.reduce((sum, input) => sum + input.size * growth(input), 0)
  const dayBytes = Math.max(total * DAY_SHARE, Math.min(total, SHORT_HISTORY))
  const tables = gatheredTables(plan).length * total * TABLE_SHARE
  const tableParts = (2 * tables) / Math.max(1, plan.tasks)
  const disk: Readonly<Record<JobStage, number>> = {
    rows: mapped / 2,
    tables: tableParts,
    links: mapped / 4 + tables,
    people: total / 20,
    map: mapped + tables,
    generate: mapped / 2,
    seal: dayBytes,
    finish: 0,
  }
  const people = ((plan.forget?.ids ?? 0) * ID_BYTES) / MIB
  const of = (stage: JobStage): Resources => ({
    memoryMiB: MEMORY[stage] + (stage === 'map' || stage === 'people' ? Math.ceil(people) : 0),
    diskGiB: 1 + Math.ceil((disk[stage] * SCRATCH) / GIB),
  })
  const stages = Object.keys(MEMORY) as JobStage[]
  const resources = Object.fromEntries(stages.map((stage) => [stage, of(stage)]))
  return { resources: resources as TaskNeeds['resources'], dayBytes }
}

/** Bytes of the records of the map task that has most, unpacked. */
function largestShare(plan: FleetPlan): number {
  const shareOf = (load: Load) =>
    load.reduce((sum, { input, bytes }) => sum + bytes * growth(plan.inputs[input]!), 0)
  return loadsOf(plan).reduce((most, load) => Math.max(most, shareOf(load)), 0)
}

function growth({ compression, format, member }: InputFile): number {
  const packed = compression !== 'none' || member !== undefined || format === 'parquet' || format === 'avro'
  return packed ? UNPACKED : 1
}

/** The bytes that are read of each measured file, as they are stored. */
const READ_BYTES = 8 * MIB

/** About how much an input holds, by a few of its files. */
export interface MeasuredRecords {
  readonly records: number
  /** Bytes of all records, as lines of JSON. */
  readonly recordBytes: number
}

/**
 * Counts the records at the beginning of a few files: the first, the last, and of each kind the largest, since a byte of
 * a packed file holds many of a plain one. All other files of a kind are taken to be like these. Nothing is mapped.
 */
export async function measureRecords(
  { inputs, columns, withTable }: Pick<Job, 'inputs' | 'columns' | 'withTable'>,
  interrupted: AbortSignal,
): Promise<MeasuredRecords> {
  let [records, recordBytes] = [0, 0]
  for (const kind of new Set(inputs.map(kindOf))) {
    const own = inputs.filter((input) => kindOf(input) === kind)
    const largest = own.reduce((most, input) => (input.size > most.size ? input : most))
    const chosen = new Set([inputs[0]!, largest, inputs.at(-1)!].filter((input) => own.includes(input)))
    const count = new Counter()
    let stored = 0
    for (const input of chosen) {
      const enough = new AbortController()
      let read = 0
      const progress = (bytes: number) => {
        read += bytes
        if (read >= READ_BYTES) enough.abort()
      }
      const stop = AbortSignal.any([enough.signal, interrupted])
      await readRecords(input, count, { columns, withTable, progress, stop })
      if (interrupted.aborted) throw interruptedError()
      stored += Math.min(read, input.size)
    }
    const total = own.reduce((sum, { size }) => sum + size, 0)
    const times = stored === 0 ? 1 : total / stored
    records += count.records * times
    recordBytes += count.bytes * times
  }
  return { records: Math.round(records), recordBytes: Math.round(recordBytes) }
}

function kindOf({ format, compression, member }: InputFile): string {
  return `${format} ${compression} ${member !== undefined}`
}

class Counter implements RecordSink {
  records = 0
  bytes = 0

  line(_: Buffer, start: number, end: number): void {
    this.records++
    this.bytes += end - start
  }

  tooLong(): void {
    this.records++
  }

  reject(): void {
    this.records++
  }

  unusable(): void {}
}
