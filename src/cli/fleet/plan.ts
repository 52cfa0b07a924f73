import type { Command } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { estimate } from '../../jobs/fleet/estimate.ts'
import { makePlan } from '../../jobs/fleet/make-plan.ts'
import { type Measured, measure } from '../../jobs/fleet/measure-input.ts'
import { placeFor, putPlan } from '../../jobs/fleet/plan-place.ts'
import { taskNeeds } from '../../jobs/fleet/task-needs.ts'
import { assertNotImported } from '../../jobs/import/assert-not-imported.ts'
import { workHome } from '../../jobs/import/state-home.ts'
import { assertNoTransform } from '../../jobs/transform/open-fleet.ts'
import { PRESET_ROW, RULE_ROWS, requestOf, trySample } from '../../jobs/transform/run-transform.ts'
import { SideTables } from '../../jobs/transform/side-tables.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, IN, OUT } from '../../options/rows/dataset-rows.ts'
import { RESTART_FLEET, TASKS } from '../../options/rows/fleet-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { MAP } from '../../options/rows/transform-rows.ts'
import { sumOf } from '../../record/notes.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { jsonLine } from '../../text/json.ts'
import { usualTasks } from '../../transform/fleet/pack.ts'
import type { KnownPlan } from '../../transform/fleet/plan-file.ts'
import { interruptedError, Pool } from '../../transform/pool.ts'
import { type Prepared, prepare } from '../../transform/prepare.ts'
import type { Sample } from '../../transform/sample.ts'
import { VERSION } from '../../version.ts'
import { useReported } from '../reported.ts'
import { fleetPlanJson, fleetPlanSummary } from '../text/fleet-plan.ts'

const PLAN_ROWS = [
  PRESET_ROW,
  required(IN),
  required(OUT),
  MAP,
  TASKS,
  RESTART_FLEET,
  ...RULE_ROWS,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const
type PlanValues = Values<typeof PLAN_ROWS>

const HELP = `
The same plan again keeps the one that is there, with what its tasks have done.

Examples:
  posthaul fleet plan --preset mixpanel --in s3://b/raw --out s3://b/events
  posthaul fleet plan --map mapping.yaml --in raw/ --out events/ --tasks 500`

/** `fleet plan`: what the whole will take, and the plan that all tasks go by. */
export function configurePlan(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('plan').description('say what the whole will take, and share it out')
  command.addHelpText('after', HELP)
  useReported(command, PLAN_ROWS, io, exit, ({ values }) => plan(values, io))
}

async function plan(values: PlanValues, io: Io): Promise<ExitCode> {
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
    const order = { pairs: 0 }
    const { tried, joined, error } = await trySample({ pool, prepared, sides, order }, asked, io)
    if (io.interrupted.aborted) throw interruptedError()
    if (error || !joined) throw error
    const made = makePlan(
      { job: joined.job, sides: prepared.sides },
      {
        tasks: values.tasks ?? usualTasks(prepared.job.inputs),
        tool: `posthaul ${VERSION}`,
        source: { ...prepared.source, ...joined.source },
      },
    )
    const measured = await measure(prepared.job, io.interrupted)
    if (io.interrupted.aborted) throw interruptedError()
    const known = await putPlan(place, made)
    tell(
      { known, kept: known !== made, finished: known !== made && place.isFinished, tried, measured },
      values,
      io,
    )
    return EXIT.done
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
  readonly measured: Measured
}

function tell({ known, kept, finished, tried, measured }: Planned, values: PlanValues, io: Io): void {
  const { read, whole, records, eventBytes } = tried
  const first = records?.read ?? read
  const made = read - tried.rejected - sumOf(tried.filtered)
  const { out, endpoint, json } = values
  const summary = {
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
  const object = fleetPlanJson(summary)
  if (json) io.stdout.write(jsonLine(object))
  io.telemetry.summary('fleet plan', { json: object, text: fleetPlanSummary(summary) })
}

/** Refuses what takes one machine: a reading of all records before they are mapped. */
function assertShareable({ job, sides }: Prepared): void {
  if (job.forget !== undefined) {
    throw new PosthaulError('the mapping file has forget:, and a fleet cannot leave people out', {
      code: 'usage',
      hint: 'all ids of a person have to be found in all of the input first: posthaul transform does that, on one machine',
    })
  }
  const own = sides.find(({ table }) => table.ofRecords !== undefined)?.table
  if (own === undefined) return
  const { name, help, unless, needs } = own
  const without = unless
    ? `--with ${unless} leaves it out`
    : needs && `without --join ${needs} it is not made`
  throw new PosthaulError(
    `the preset ${job.preset} makes a table of all records (${name}: ${help}), and a fleet cannot`,
    {
      code: 'usage',
      hint: `${without ? `${without}, where you can do without; else use` : 'use'} posthaul transform, which makes it, on one machine`,
    },
  )
}
