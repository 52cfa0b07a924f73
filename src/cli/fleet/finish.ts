import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { assertNotImported } from '../../jobs/import/assert-not-imported.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, OUT } from '../../options/rows/dataset-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { jsonLine } from '../../text/json.ts'
import type { FleetPlan } from '../../transform/fleet/plan-file.ts'
import { useReported } from '../reported.ts'
import { transformJson, transformSummary } from '../text/transform-summary.ts'

const FINISH_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const

const HELP = `
It refuses (exit 5) while a task is not done. It exits with 3 if records were
rejected: they are in rejects.ndjson, and the dataset is whole. Run twice, it
changes nothing.

Example:
  posthaul fleet finish --out s3://b/events`

/** `fleet finish`: checks all tasks, and writes the manifest. */
export function configureFinish(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('finish').description('check all tasks, and write the manifest last')
  command.addHelpText('after', HELP)
  useReported(command, FINISH_ROWS, io, exit, ({ values }) => finish(values, io))
}

async function finish(values: Values<typeof FINISH_ROWS>, io: Io): Promise<ExitCode> {
  const started = Date.now()
  const out = withEndpoint(values.out, values.endpoint)
  const { finishFleet } = await import('../../transform/fleet/finish-fleet.ts')
  // The plan looked whether its events were sent; meanwhile an import may have begun.
  await assertNotImported({ out, rules: undefined, rulesChanged: true }, io)
  const { known, result, before, removed } = await finishFleet(out)
  const summary = {
    result: { ...result, error: undefined },
    out,
    argv: transformLine(known.plan, values),
    seconds: (Date.now() - started) / 1000,
    dryRun: false,
    sample: null,
    foreignClock: undefined,
    idleRules: [],
    inputFiles: [],
    after: known.plan.job.after,
    forgets: false,
    unheard: {},
  }
  const object = { ...transformJson(summary), command: 'fleet finish', before, removed_files: removed }
  if (values.json) io.stdout.write(jsonLine(object))
  if (before) io.telemetry.note('fleet', 'this was finished before: nothing was changed', 'info')
  io.telemetry.summary('fleet finish', { json: object, text: `fleet finish, ${transformSummary(summary)}` })
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}

/** The command line that makes the same of mended rejects: of so few records one machine is enough. */
function transformLine({ source }: FleetPlan, { out, endpoint }: Values<typeof FINISH_ROWS>): string[] {
  const { preset = '', mapping_sha256 } = source
  return [
    ...['transform', '--preset', preset],
    ...(mapping_sha256 === undefined ? [] : ['--map', 'mapping.yaml']),
    ...['--out', out],
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
  ]
}
