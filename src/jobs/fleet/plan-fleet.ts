import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/index.ts'
import type { Io } from '../../io.ts'
import { sumOf } from '../../record/index.ts'
import { withEndpoint } from '../../store/index.ts'
import { MS_PER_MINUTE, MS_PER_SECOND, posthaulLine, type Stage } from '../../text/index.ts'
import {
  interruptedError,
  type KnownPlan,
  Pool,
  prepare,
  type Sample,
  stagesOf,
  usualTasks,
} from '../../transform/index.ts'
import { VERSION } from '../../version.ts'
import { assertNotImported } from '../import-state/assert-not-imported.ts'
import { workHome } from '../import-state/state-place.ts'
import { assertTestsPass } from '../test/assert-tests.ts'
import { requestOf } from '../transform/order.ts'
import { trySample } from '../transform/run.ts'
import { assertNoTransform } from '../transform/sample-result.ts'
import { SideTables } from '../transform/side-tables.ts'
import { type Estimate, estimate, type MeasuredRecords, measureRecords, taskNeeds } from './estimate.ts'
import { makePlan, placeFor, plannedPeople, putPlan } from './make-plan.ts'
import { assertShareable, type PlanValues } from './order.ts'
import type { FleetPlanResult } from './result.ts'

/** A pace that the service may grant a large migration, in events a second; see docs/fleet.md. */
const GRANTED_PER_SECOND = 5000

/** What the text of a plan says beside its result, which rounds these. */
export type FleetSaid = Pick<Estimate, 'coreHours' | 'hoursAtOnce'>

/** A plan, and what the whole will take. */
interface PlannedFleet {
  readonly result: FleetPlanResult
  readonly said: FleetSaid
}

/** Makes the plan that all tasks go by, or keeps the same one that is there. */
export async function planFleet(values: PlanValues, io: Io): Promise<PlannedFleet> {
  const asked = { ...values, dryRun: false }
  const out = withEndpoint(values.out, values.endpoint)
  await assertNoTransform(out, workHome(io.env, undefined))
  const request = requestOf(asked, io)
  const prepared = await prepare(request)
  assertShareable(prepared)
  const { file } = prepared
  // Once for all tasks, which go by the plan.
  if (file && !values.noTests)
    await assertTestsPass({ map: request.map!, file, options: request, dryRun: false }, io)
  await assertNotImported({ ...values, out, rules: prepared.source.rules_sha256 }, io)
  const place = await placeFor(out, prepared, values)
  const sides = new SideTables(prepared, io)
  const pool = new Pool(1)
  try {
    const sampling = { pool, prepared, sides, order: {}, without: true }
    const { tried, joined, error } = await trySample(sampling, asked, io)
    if (io.interrupted.aborted) throw interruptedError()
    if (error || !joined) throw error
    const people = await plannedPeople(joined.job)
    const made = makePlan(
      { job: joined.job, sides: prepared.sides },
      {
        tasks: values.tasks ?? usualTasks(prepared.job.inputs),
        tool: `posthaul ${VERSION}`,
        source: { ...prepared.source, ...joined.source },
        people,
      },
    )
    const measured = await measureRecords(prepared.job, io.interrupted)
    if (io.interrupted.aborted) throw interruptedError()
    const known = await putPlan(place, made, people?.listed)
    const kept = known !== made
    return planned({ known, kept, finished: kept && place.isFinished, tried, measured }, values)
  } finally {
    await pool.close()
    await sides.remove()
  }
}

interface Planned {
  readonly known: KnownPlan
  /** True if it was there before. */
  readonly kept: boolean
  readonly finished: boolean
  readonly tried: Sample
  readonly measured: MeasuredRecords
}

function planned({ known, kept, finished, tried, measured }: Planned, values: PlanValues): PlannedFleet {
  const { read, whole, records, eventBytes } = tried
  const first = records?.read ?? read
  const made = read - tried.rejected - sumOf(tried.filtered)
  const said = estimate(known.plan, {
    records: whole ? first : measured.records,
    recordBytes: measured.recordBytes,
    eventsPerRecord: first === 0 ? 0 : made / first,
    eventBytes: made === 0 ? 0 : eventBytes / made,
  })
  const { events, largest } = said
  const { resources, dayBytes } = taskNeeds(known.plan)
  const stages = stagesOf(known.plan)
  const result: FleetPlanResult = {
    version: 1,
    command: 'fleet plan',
    out: values.out,
    plan: known.id,
    kept,
    fleet_finished: finished,
    tasks: known.plan.tasks,
    exact: whole,
    tried: { records: first, rejected: tried.rejected },
    input_files: known.plan.inputs.length,
    input_bytes: said.inputBytes,
    records: said.records,
    events,
    import: {
      events_per_minute: OPEN_PER_MINUTE,
      seconds_at_cap: Math.ceil(((events / OPEN_PER_MINUTE) * MS_PER_MINUTE) / MS_PER_SECOND),
      needs_approval: events > OPEN_EVENTS,
      granted_events_per_second: GRANTED_PER_SECOND,
      seconds_if_granted: Math.ceil(events / GRANTED_PER_SECOND),
    },
    core_hours: Number(said.coreHours.toPrecision(3)),
    hours_at_once: Number(said.hoursAtOnce.toPrecision(3)),
    shuffle_bytes: said.shuffleBytes,
    most_objects: said.objects,
    busy_tasks: said.busy,
    largest_task: {
      index: largest.index,
      bytes: largest.bytes,
      mean_bytes: largest.meanBytes,
      file: largest.file ?? null,
    },
    task_needs: Object.fromEntries(
      stages.map((stage) => {
        const { memoryMiB, diskGiB } = resources[stage]
        return [stage, { memory_mib: memoryMiB, disk_gib: diskGiB }]
      }),
    ),
    largest_day_bytes: Math.round(dayBytes),
    next: finished ? [] : nextCommands(values, stages[0]!),
  }
  return { result, said }
}

function nextCommands({ out, endpoint }: PlanValues, first: Stage): string[] {
  const place = ['--out', out, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])]
  return [
    posthaulLine(['fleet', 'job', ...place]),
    posthaulLine(['fleet', 'run', first, ...place, '--index', '0']),
  ]
}
