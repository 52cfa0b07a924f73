import type { Io } from '../../io.ts'
import { sumOf } from '../../record/index.ts'
import { withEndpoint } from '../../store/index.ts'
import {
  interruptedError,
  type KnownPlan,
  Pool,
  prepare,
  type Sample,
  usualTasks,
} from '../../transform/index.ts'
import { VERSION } from '../../version.ts'
import { assertNotImported } from '../import-state/assert-not-imported.ts'
import { workHome } from '../import-state/state-place.ts'
import { requestOf } from '../transform/order.ts'
import { trySample } from '../transform/run.ts'
import { assertNoTransform } from '../transform/sample-result.ts'
import { SideTables } from '../transform/side-tables.ts'
import {
  type Estimate,
  estimate,
  type MeasuredRecords,
  measureRecords,
  type TaskNeeds,
  taskNeeds,
} from './estimate.ts'
import { makePlan, placeFor, plannedPeople, putPlan } from './make-plan.ts'
import { assertShareable, type PlanValues } from './order.ts'

/** A plan, and what the whole will take. */
export interface PlannedFleet {
  readonly out: string
  readonly endpoint: string | undefined
  readonly known: KnownPlan
  /** True if the plan was there before. */
  readonly kept: boolean
  readonly finished: boolean
  /** True if the records were counted, not estimated. */
  readonly exact: boolean
  /** Records that were tried, and of those refused. */
  readonly tried: number
  readonly rejected: number
  readonly estimate: Estimate
  readonly needs: TaskNeeds
}

/** Makes the plan that all tasks go by, or keeps the same one that is there. */
export async function planFleet(values: PlanValues, io: Io): Promise<PlannedFleet> {
  const asked = { ...values, dryRun: false }
  const out = withEndpoint(values.out, values.endpoint)
  await assertNoTransform(out, workHome(io.env, undefined))
  const prepared = await prepare(requestOf(asked, io))
  assertShareable(prepared)
  await assertNotImported({ ...values, out, rules: prepared.source.rules_sha256 }, io)
  const place = await placeFor(out, prepared, values)
  const sides = new SideTables(prepared, io)
  const pool = new Pool(1)
  try {
    const sampling = { pool, prepared, sides, order: { pairs: 0 }, without: true }
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

function planned(
  { known, kept, finished, tried, measured }: Planned,
  { out, endpoint }: PlanValues,
): PlannedFleet {
  const { read, whole, records, eventBytes } = tried
  const first = records?.read ?? read
  const made = read - tried.rejected - sumOf(tried.filtered)
  return {
    out,
    endpoint,
    known,
    kept,
    finished,
    exact: whole,
    tried: first,
    rejected: tried.rejected,
    estimate: estimate(known.plan, {
      records: whole ? first : measured.records,
      recordBytes: measured.recordBytes,
      eventsPerRecord: first === 0 ? 0 : made / first,
      eventBytes: made === 0 ? 0 : eventBytes / made,
    }),
    needs: taskNeeds(known.plan),
  }
}
