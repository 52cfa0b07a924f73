import type { InputFile } from '../../inputs/index.ts'
import { MIB, type Stage } from '../../text/index.ts'
import { cutUnits, type FleetPlan, gatheredTables } from '../../transform/index.ts'

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

export interface TaskNeeds {
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
function largestShare({ inputs, firstUnits }: FleetPlan): number {
  const units = cutUnits(inputs)
  const shares = firstUnits
    .slice(0, -1)
    .map((first, task) =>
      units
        .slice(first, firstUnits[task + 1])
        .reduce((sum, unit) => sum + unit.bytes * growth(inputs[unit.input]!), 0),
    )
  return shares.reduce((most, share) => Math.max(most, share), 0)
}

function growth({ compression, format, member }: InputFile): number {
  const packed = compression !== 'none' || member !== undefined || format === 'parquet' || format === 'avro'
  return packed ? UNPACKED : 1
}
