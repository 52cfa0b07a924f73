import type { Finding } from '../../checks/finding.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { type LoadedMigration, loadMigration } from '../../migration/migration-file.ts'
import type { StagePlan } from '../../migration/stages.ts'
import { inStore, type RunStage } from '../../migration/stages.ts'
import { webhookAddress } from '../../options/values.ts'
import { storeCell } from '../../state/cell.ts'
import { acquireLease } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { assertSomeStage, type RunValues } from './index.ts'
import { MigrationRun } from './migration-run.ts'
import { assertTestsBeforeExport, readinessOf } from './readiness.ts'
import type { RunSubject } from './run-of.ts'
import { RunState } from './run-state.ts'

/** What `run` remembers, and its lock, in the folder of the state. */
const STATE = 'run.json'
const LOCK = 'run.lock'

/** What is told while it runs. */
interface RunVoice {
  plans(plans: readonly StagePlan[]): void
  /** What was found at the last look before it began. */
  findings(findings: readonly Finding[]): void
}

/** What becomes of a run. `tried`: of a dry run. */
type MigrationEnd =
  | { readonly kind: 'tried'; readonly plans: readonly StagePlan[] }
  | { readonly kind: 'unready' | 'ran'; readonly subject: RunSubject }

/** Runs what is left of a migration. A run that is not ready has run no stage. */
export async function runMigration(
  file: string | undefined,
  values: RunValues,
  { runStage, voice }: { readonly runStage: RunStage; readonly voice: RunVoice },
  io: Io,
): Promise<MigrationEnd> {
  if (file === undefined) {
    throw new PosthaulError('no migration file was named', {
      code: 'usage',
      hint: 'name it, for example: posthaul run migration.yaml',
    })
  }
  assertSomeStage(values)
  const loaded = await loadMigration(file, io.env)
  const store = await stateStore(loaded)
  const settings = { ...values, stopAfterMs: values.stopAfter, runStage }
  const open = async () =>
    new MigrationRun(loaded, await RunState.open(storeCell(store, STATE)), settings, io)
  if (values.dryRun) return { kind: 'tried', plans: await (await open()).plan() }
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
  try {
    const migration = await open()
    const startedAt = performance.now()
    const plans = await migration.plan()
    voice.plans(plans)
    if (plans.some(({ decision }) => decision.runs)) {
      const { findings, exit } = await readinessOf(loaded, plans, values.stopAfter, io)
      voice.findings(findings)
      if (exit !== undefined) return { kind: 'unready', subject: { ...NOTHING, file, exit, left: plans } }
      await assertTestsBeforeExport(plans, io)
    }
    const end = await migration.run(() => lease.look())
    const seconds = (performance.now() - startedAt) / 1000
    io.telemetry.afterwards(() => migration.tell(end))
    return { kind: 'ran', subject: { file, ...end, left: await migration.plan(), seconds } }
  } finally {
    await io.drain.tidy(lease.release())
  }
}

const NOTHING = {
  counts: null,
  ran: [],
  stoppedInTime: false,
  nextAt: undefined,
  error: undefined,
  seconds: 0,
}

async function stateStore({ migration, at }: LoadedMigration): Promise<Store> {
  const { single_writer: singleWriter = false } = migration.store
  return openStore(at(inStore(migration, 'state')), { singleWriter })
}

/** What the file says of who hears of the run, where no option does. */
async function notify(loaded: LoadedMigration, { telemetry }: Io): Promise<void> {
  const { log_format: format, metrics_file: metrics, webhook } = loaded.migration.notifications
  await telemetry.add({
    format,
    metricsFile: metrics === undefined ? undefined : loaded.at(metrics),
  })
  await telemetry.notify(webhook === undefined ? undefined : webhookAddress(webhook, 'notifications.webhook'))
}
