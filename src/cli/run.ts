import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { renderError } from '../jobs/render-error.ts'
import { INIT_ROWS, initMigration } from '../jobs/run/init.ts'
import { type LoadedMigration, loadMigration } from '../jobs/run/load.ts'
import { MigrationRun } from '../jobs/run/migration-run.ts'
import { readinessOf } from '../jobs/run/readiness.ts'
import { RunState } from '../jobs/run/run-state.ts'
import { dryRunLines, runJson, runPlanLines, runSummary, type StagePlan } from '../jobs/run/run-summary.ts'
import { inStore, STAGES } from '../jobs/run/stages.ts'
import { pingAddress } from '../options/ping-address.ts'
import type { Values } from '../options/row.ts'
import { WAIT } from '../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import {
  RUN_CHANGED,
  RUN_DRY_RUN,
  RUN_FROM,
  RUN_INIT,
  RUN_STOP_AFTER,
  RUN_UNTIL,
} from '../options/rows/run-rows.ts'
import { storeCell } from '../state/cell.ts'
import { acquireLease } from '../state/lease.ts'
import { openStore } from '../store/open.ts'
import { withEndpoint } from '../store/s3-location.ts'
import type { Store } from '../store/store.ts'
import type { PingAddresses } from '../telemetry/pings.ts'
import { continueCommand } from '../text/command-line.ts'
import { jsonLine } from '../text/json.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'
import { runStage } from './run-stage.ts'
import { findingLines } from './text/doctor.ts'

const RUN_ROWS = [
  RUN_UNTIL,
  RUN_FROM,
  RUN_DRY_RUN,
  RUN_STOP_AFTER,
  RUN_CHANGED,
  { ...WAIT, help: 'if another run of this migration is at work, wait for its end; default: exit 7' },
  JSON_SUMMARY,
  RUN_INIT,
  ...INIT_ROWS,
] as const

type RunValues = Values<typeof RUN_ROWS>

const HELP = `
The file says the whole of a migration: docs/run.md has one with comments.
A run does what is left of export, transform, check, import and verify. What is
done and has not changed is skipped, so the same command goes on after any end.`

/** What `run` remembers, and its lock, in the folder of the state. */
const STATE = 'run.json'
const LOCK = 'run.lock'

/** `run`: a whole migration by its file. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[file]', 'the migration file, such as migration.yaml').addHelpText('after', HELP)
  useReported(command, RUN_ROWS, io, exit, ({ values }, [file]) => run(file, values, io))
}

async function run(file: string | undefined, values: RunValues, io: Io): Promise<ExitCode> {
  if (file === undefined) {
    throw new PosthaulError('no migration file was named', {
      code: 'usage',
      hint: 'name it, for example: posthaul run migration.yaml',
    })
  }
  if (values.init) return initMigration(file, values, io)
  assertSomeStage(values)
  const loaded = await loadMigration(file, io.env)
  const store = await stateStore(loaded)
  const settings = { ...values, stopAfterMs: values.stopAfter, runStage }
  if (values.dryRun) {
    const state = await RunState.open(storeCell(store, STATE))
    const plans = await new MigrationRun(loaded, state, settings, io).plan()
    io.stdout.write(dryRunLines(plans))
    return EXIT.done
  }
  await notify(loaded, io)
  const lease = await acquireLease({
    cell: storeCell(store, LOCK),
    purpose: `run of ${file}`,
    wait: values.wait,
    signal: io.interrupted,
    note: (text) => io.telemetry.note('run', text, 'warn'),
    taken: `another run of this migration is at work`,
  })
  try {
    const state = await RunState.open(storeCell(store, STATE))
    const migration = new MigrationRun(loaded, state, settings, io)
    return await runAll({ file, loaded, migration, look: () => lease.look() }, values, io)
  } finally {
    await io.drain.tidy(lease.release())
  }
}

function assertSomeStage({ from = STAGES[0], until = STAGES.at(-1)! }: RunValues): void {
  if (STAGES.indexOf(from) <= STAGES.indexOf(until)) return
  throw new PosthaulError(`--from ${from} --until ${until} leaves no stage to run`, {
    code: 'usage',
    hint: `the order is ${STAGES.join(', ')}`,
  })
}

interface Begun {
  readonly file: string
  readonly loaded: LoadedMigration
  readonly migration: MigrationRun
  /** Throws once another run has the migration. */
  readonly look: () => Promise<void>
}

async function runAll(
  { file, loaded, migration, look }: Begun,
  values: RunValues,
  io: Io,
): Promise<ExitCode> {
  const startedAt = performance.now()
  const plans = await migration.plan()
  io.stderr.write(runPlanLines(file, plans))
  const exit = plans.some(({ decision }) => decision.runs)
    ? await notReady(loaded, plans, values, io)
    : undefined
  if (exit !== undefined) {
    const none = {
      ran: [],
      left: plans,
      stoppedInTime: false,
      nextAt: undefined,
      error: undefined,
      seconds: 0,
    }
    if (values.json) io.stdout.write(jsonLine(runJson({ file, exit, ...none })))
    const first = exit === EXIT.rejects ? 'mend the errors, ' : ''
    io.stderr.write(`  ${first}then: ${continueCommand(io.argv)}\n`)
    return exit
  }
  const end = await migration.run(look)
  const seconds = (performance.now() - startedAt) / 1000
  const subject = { file, ...end, left: await migration.plan(), seconds }
  const object = runJson(subject)
  if (values.json) io.stdout.write(jsonLine(object))
  io.telemetry.summary('run', { json: object, text: runSummary(subject) })
  if (end.error !== undefined) return renderError(end.error, io)
  if (subject.left.some(({ decision }) => decision.runs))
    io.stderr.write(`  then: ${continueCommand(io.argv)}\n`)
  return end.exit
}

/** Looks before anything long whether it will work. The exit code if it will not. */
async function notReady(
  loaded: LoadedMigration,
  plans: readonly StagePlan[],
  { stopAfter }: RunValues,
  io: Io,
): Promise<ExitCode | undefined> {
  const { findings, exit } = await readinessOf(loaded, plans, stopAfter, io)
  io.stderr.write(`${findingLines(findings).join('\n')}\n`)
  return exit
}

/** What the file says of who hears of the run, where no option does. */
async function notify(loaded: LoadedMigration, { telemetry }: Io): Promise<void> {
  const { log_format: format, log_file: log, metrics_file: metrics } = loaded.migration.notifications
  await telemetry.add({
    format,
    logFile: log === undefined ? undefined : loaded.at(log),
    metricsFile: metrics === undefined ? undefined : loaded.at(metrics),
  })
  await telemetry.ping(pingsOf(loaded))
}

function pingsOf({ migration }: LoadedMigration): PingAddresses {
  const { healthcheck, webhook } = migration.notifications
  return {
    healthcheck:
      healthcheck === undefined ? undefined : pingAddress(healthcheck, 'notifications.healthcheck'),
    webhook: webhook === undefined ? undefined : pingAddress(webhook, 'notifications.webhook'),
  }
}

async function stateStore({ migration, at }: LoadedMigration): Promise<Store> {
  const { endpoint, singleWriter } = migration.store
  return openStore(withEndpoint(at(inStore(migration, 'state')), endpoint), { singleWriter })
}
