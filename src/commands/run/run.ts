import { Writable } from 'node:stream'
import { findingJson } from '../../checks/finding.ts'
import { Drain } from '../../drain.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { foreseeLosses } from '../../imports/losses.ts'
import type { Io } from '../../io.ts'
import { type LoadedMigration, loadMigration } from '../../migration/migration-file.ts'
import { inStore, type StageCall, type StageEnd, type StagePlan } from '../../migration/stages.ts'
import { RUN_STAGES } from '../../options/run-rows.ts'
import { webhookAddress } from '../../options/values.ts'
import { storeCell } from '../../state/cell.ts'
import { acquireLease } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import { findingLines } from '../lines.ts'
import { performWords } from '../perform.ts'
import { renderError } from '../render-error.ts'
import type { RunCall } from './index.ts'
import { MigrationRun, type RunEnd } from './migration-run.ts'
import { assertTestsBeforeExport, readinessOf } from './readiness.ts'
import type { RunResult } from './result.ts'
import { RunState } from './run-state.ts'
import { dryRunLines, runPlanLines } from './text.ts'

export { runResult as schema } from './result.ts'
export { runLines as lines } from './text.ts'

/** What `run` remembers, and its lock, in the folder of the state. */
const STATE = 'run.json'
const LOCK = 'run.lock'

/** Does what is left of a migration, or writes the file of a new one. A run that is not ready has run no stage. */
export async function* run(call: RunCall, io: Io): AsyncGenerator<RunResult> {
  const {
    values,
    args: [file],
  } = call
  if (file === undefined) {
    throw new PosthaulError('no migration file was named', {
      code: 'usage',
      hint: 'name it, for example: posthaul run migration.yaml',
    })
  }
  if (values.init) {
    const { initMigration } = await import('./init.ts')
    const { region, host } = call.resolved
    // An option is stronger than a variable, which a rehearsal may have left.
    const isRegion = region?.source === 'cli' && host?.source !== 'cli'
    const given = isRegion ? { ...values, host: undefined } : values
    return initMigration(file, given, io, async () => (await foreseeLosses(call, io))?.retention?.firstDay)
  }
  const { from = RUN_STAGES[0], until = RUN_STAGES.at(-1)! } = values
  if (RUN_STAGES.indexOf(from) > RUN_STAGES.indexOf(until)) {
    throw new PosthaulError(`--from ${from} --until ${until} leaves no stage to run`, {
      code: 'usage',
      hint: `the order is ${RUN_STAGES.join(', ')}`,
    })
  }
  const loaded = await loadMigration(file, io.env)
  const store = await stateStore(loaded)
  const settings = { ...values, stopAfterMs: values.stopAfter, runStage }
  const open = async () =>
    new MigrationRun(loaded, await RunState.open(storeCell(store, STATE)), settings, io)
  if (values.dryRun) return void io.stdout.write(dryRunLines(await (await open()).plan()))
  await notify(loaded, io)
  const lease = await acquireLease({
    cell: storeCell(store, LOCK),
    purpose: `run of ${file}`,
    wait: values.wait,
    signal: io.interrupted,
    note: (text) => io.telemetry.note('run', text, 'warn'),
    taken: `another run of this migration is at work`,
    keeps: { what: 'the state of the run', setting: `as store in ${file}` },
  })
  let end: RunEnd = {
    exit: EXIT.done,
    counts: null,
    ran: [],
    stoppedInTime: false,
    nextAt: null,
    error: undefined,
  }
  let left: readonly StagePlan[]
  let seconds = 0
  let ready = true
  try {
    const migration = await open()
    const startedAt = performance.now()
    left = await migration.plan()
    io.stderr.write(runPlanLines(file, left))
    if (left.some(({ decision }) => decision.runs)) {
      const { findings, exit } = await readinessOf(loaded, left, values.stopAfter, io)
      ready = exit === undefined
      io.stderr.write(`${findingLines(findings.map(findingJson)).join('\n')}\n`, ready ? 'info' : 'warn')
      if (exit === undefined) await assertTestsBeforeExport(left, io)
      else end = { ...end, exit }
    }
    if (ready) {
      end = await migration.run(() => lease.look())
      seconds = (performance.now() - startedAt) / 1000
      io.telemetry.afterwards(() => migration.tell(end))
      left = await migration.plan()
    }
  } finally {
    await io.drain.tidy(lease.release())
  }
  const { exit, counts, ran, stoppedInTime, nextAt, error } = end
  const rest = left.filter(({ decision }) => decision.runs)
  yield {
    version: 1,
    command: 'run',
    file,
    ready,
    finished: error === undefined && rest.length === 0,
    exit_code: error instanceof PosthaulError ? error.exitCode : exit,
    counts,
    stopped_in_time: stoppedInTime,
    stages: ran,
    left: rest.map(({ step, decision }) => ({ window: step.window, stage: step.stage, why: decision.why })),
    next_at: nextAt,
    seconds: secondsJson(seconds),
    next_command: !ready || (error === undefined && rest.length > 0) ? posthaulLine(io.argv) : null,
    error: errorJson(error),
  }
  if (error !== undefined) throw error
}

export const exit = ({ exit_code: code }: RunResult) => code as ExitCode

export function next({ ready, exit_code: code, next_command: then }: RunResult): readonly string[] {
  if (then === null) return []
  return [`  ${!ready && code === EXIT.rejects ? 'mend the errors, ' : ''}then: ${then}`]
}

async function stateStore({ migration, at }: LoadedMigration): Promise<Store> {
  const { single_writer: singleWriter = false } = migration.store
  return openStore(at(inStore(migration, 'state')), { singleWriter })
}

/** What the file says of who hears of the run, where no option does. */
async function notify(loaded: LoadedMigration, { telemetry }: Io): Promise<void> {
  const { log_format: format, metrics_file: metrics, webhook } = loaded.migration.notifications
  await telemetry.add(format, metrics === undefined ? undefined : loaded.at(metrics))
  await telemetry.notify(webhook === undefined ? undefined : webhookAddress(webhook, 'notifications.webhook'))
}

/** After a stage that was told to stop, the run saves what it did and gives back its lock. */
const AFTER_STAGE_MS = 5 * MS_PER_SECOND

/** Runs a command in this process, as its command line would. What it says to people goes where the run's words go. */
async function runStage({ argv, env, interrupted }: StageCall, io: Io): Promise<StageEnd> {
  const drain = new StageDrain(interrupted, io.drain)
  // A report, such as that of check, is for people: the run's own stdout carries data only. What comes next is the run's to say.
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      io.stderr.write(chunk.toString('utf8').replace(/^Then: posthaul .*\n/m, ''))
      done()
    },
  })
  io.telemetry.takeSummary()
  const stageIo: Io = { ...io, argv, env: { ...io.env, ...env }, stdout, interrupted, drain, isStage: true }
  const code = await drain
    .within(performWords(argv, stageIo))
    .catch((error: unknown) => renderError(error, stageIo, argv.slice(0, argv[0] === 'export' ? 2 : 1)))
  return { code, summary: io.telemetry.takeSummary() }
}

/** The drain of a stage: the run around it waits for as long as the stage may, and then saves. */
class StageDrain extends Drain {
  readonly #around: Drain

  constructor(interrupted: AbortSignal, around: Drain) {
    super(interrupted)
    this.#around = around
    around.allow(AFTER_STAGE_MS)
  }

  override allow(ms: number): void {
    super.allow(ms)
    this.#around.allow(ms + AFTER_STAGE_MS)
  }
}
