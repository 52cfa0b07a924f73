import { mkdir } from 'node:fs/promises'
import { youngSince } from '../delivery/caps.ts'
import { draftOf, previousOf } from '../delivery/checkpoint.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import { dryRun } from '../delivery/dry-run.ts'
import type { InputSource } from '../delivery/event-source.ts'
import { ImportRun } from '../delivery/import-run.ts'
import type { LedgerTarget } from '../delivery/ledger.ts'
import { EventLineReader, type LineReader } from '../delivery/line-reader.ts'
import { PaceLog } from '../delivery/pace-log.ts'
import { ratePerSecond } from '../delivery/pacer.ts'
import type { Turn } from '../delivery/turn.ts'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import { systemClock } from '../http/clock.ts'
import { Transport } from '../http/transport.ts'
import type { Io } from '../io.ts'
import { type Options, useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { apiSettings, ingestSettings } from '../options/service-settings.ts'
import {
  continueCommand,
  mendedCommand,
  placesOf,
  rejectsCommand,
  withoutRestart,
} from '../report/command-line.ts'
import { renderError } from '../report/error.ts'
import { folded } from '../report/fold.ts'
import {
  type ImportSubject,
  importJson,
  importSummary,
  isForeign,
  planJson,
  planSummary,
} from '../report/import-summary.ts'
import { startProgress } from '../report/progress.ts'
import { visible } from '../report/visible.ts'
import { BatchEndpoint } from '../service/batch.ts'
import { fileError } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import type { CommandModule } from './command.ts'
import { arrivalWatch, type KnownProject, projectOf } from './import-guards.ts'
import { IMPORT_ROWS, type ImportSettings, importSettings } from './import-settings.ts'
import { stateLease, takeTurn } from './import-turn.ts'
import { assertNotBegunElsewhere } from './other-state.ts'
import { addressIn, openState, paceFile, type StatePlace } from './state-place.ts'

const UNCHECKED = 'with --skip-key-check no one asks whose the project key is, nor whether events arrive'

const HELP = `
Where the events go: POSTHOG_REGION, or POSTHOG_HOST and POSTHOG_INGEST_HOST.
The key: POSTHOG_PROJECT_API_KEY, the file POSTHOG_PROJECT_API_KEY_FILE names,
or standard input; never an argument. If POSTHOG_PERSONAL_API_KEY is set too,
import first checks that the key is the project's, and asks each minute whether
events arrive: the service acknowledges what it drops, under a wrong key or over
quota. The personal key needs the scopes project:read and query:read.

Examples:
  posthaul import --dataset events/ --dry-run
  posthaul import --dataset events/
  posthaul import --file events.ndjson --stop-after 55m

If it is interrupted, killed or paused, the same command continues where it was.
Its state is beside the input, that of a dataset in a bucket in .state/ beside
it, or where --state says. Rejects are kept there, with the reason for each.`

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', HELP)
  useOptions(command, IMPORT_ROWS, io.env, async (options) => exit(await importEvents(options, io)))
}

type ImportOptions = Options<Values<typeof IMPORT_ROWS>>

async function importEvents(options: ImportOptions, io: Io): Promise<ExitCode> {
  const settings = importSettings(options, io.env)
  if (settings.dryRun) return plan(settings, io)
  // The key comes first: most first runs fail here, before anything is read or written.
  const { origin, projectKey } = await ingestSettings(options, io.stdin)
  const api = settings.verify ? await apiSettings(options, io.stdin) : undefined
  const source = await openSource(settings)
  const project = settings.skipKeyCheck ? undefined : await projectOf(options, projectKey, io)
  const transport = new Transport({
    origin: origin.value,
    secrets: [projectKey],
    connections: settings.lanes,
  })
  await makeFolder(settings.place)
  const target = { host: origin.value, key: projectKey.fingerprint() }
  const turn = await takeTurn({
    settings,
    state: await stateLease(settings.place, settings),
    store: await openStore(settings.place.ledger, settings),
    target,
    signal: io.interrupted,
    note: (text) => io.stderr.write(folded(visible(text), '  ', 'import: ')),
  })
  let delivered: Delivered
  try {
    const endpoint = new BatchEndpoint(transport, projectKey)
    delivered = await deliver(settings, io, {
      target,
      turn,
      source,
      endpoint,
      project,
    })
  } finally {
    await transport.close()
    await turn.release()
  }
  if (!api || !delivered.finished) return delivered.exit
  const { verifyImport } = await import('./verify-import.ts')
  const verified = await verifyImport(settings, api, io)
  return verified === EXIT.done ? delivered.exit : verified
}

/** --state may name a folder that is not there yet. A bucket has none. */
async function makeFolder({ location, ledger }: StatePlace): Promise<void> {
  // Only --state puts the ledger there too.
  if (location !== ledger || isS3(location)) return
  await mkdir(location, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, 'make the folder', location)
  })
}

interface Delivery {
  readonly target: LedgerTarget
  readonly turn: Turn
  readonly source: InputSource
  readonly endpoint: BatchEndpoint
  /** Undefined without a personal key, and when the check of the key is skipped. */
  readonly project: KnownProject | undefined
}

/** How a run of the import ended. */
interface Delivered {
  readonly exit: ExitCode
  /** The input came to its end. */
  readonly finished: boolean
}

async function deliver(settings: ImportSettings, io: Io, delivery: Delivery): Promise<Delivered> {
  const { target, turn, source, endpoint, project } = delivery
  const startedAt = performance.now()
  const early: string[] = settings.skipKeyCheck ? [UNCHECKED] : []
  const shown: { note: (text: string) => void; retrying: (reason: string, waitMs: number) => void } = {
    note: (text) => void early.push(text),
    retrying: () => undefined,
  }
  const note = (text: string) => shown.note(text)
  const { arrivalWaitMs } = settings
  const state = await openState(settings.place, settings)
  await assertNotBegunElsewhere(
    settings,
    state,
    () => openSource(settings),
    (text) => void early.push(text),
  )
  let pace: PaceLog | undefined
  const run = await ImportRun.open({
    ...settings,
    state,
    source,
    reader: await readerOf(settings),
    rules: source instanceof DatasetSource ? source.rules : (await import('./event-files.ts')).FILE_RULES,
    post: endpoint,
    envelope: endpoint.envelope,
    target,
    turn,
    clock: systemClock,
    random: Math.random,
    interrupted: io.interrupted,
    note,
    retrying: (reason, waitMs) => {
      pace?.waiting(waitMs)
      shown.retrying(reason, waitMs)
    },
    watch:
      project && arrivalWaitMs > 0 ? arrivalWatch(project, arrivalWaitMs, io.interrupted, note) : undefined,
  })
  const progress = startProgress({
    stderr: io.stderr,
    label: 'import',
    perSecond: ratePerSecond({ perMinute: settings.caps.perMinute, lanes: settings.lanes }),
    look: () => {
      const { delivered: events, ...bytes } = run.progress
      return { ...bytes, events }
    },
  })
  Object.assign(shown, progress)
  for (const text of early) progress.note(text)
  pace = new PaceLog({
    file: await paceFile(settings.place),
    look: () => run.progress,
    failed: (error) => progress.note(`the pace of this import is not kept: ${(error as Error).message}`),
  })
  const outcome = await run.run()
  await pace.stop()
  progress.stop()
  const seconds = (performance.now() - startedAt) / 1000
  const subject = subjectOf(settings, source, io, target.host)
  if (settings.json) io.stdout.write(`${JSON.stringify(importJson(subject, outcome, seconds))}\n`)
  else io.stderr.write(importSummary(subject, outcome, seconds))
  if (outcome.error !== undefined)
    return { exit: renderError(outcome.error, { ...io, argv: withoutRestart(io.argv) }), finished: false }
  if (outcome.rejectsLeft && !isForeign(outcome.counts, outcome.tally.reasons)) {
    const fetched = isS3(settings.place.location)
    if (fetched) io.stderr.write(`  get a copy: ${rejectsCommand(io.argv)}\n`)
    io.stderr.write(`  mend ${fetched ? 'it' : 'a copy'}, then: ${mendedCommand(io.argv)}\n`)
  }
  if (outcome.stoppedInTime) io.stderr.write(`  then: ${continueCommand(withoutRestart(io.argv))}\n`)
  else if (subject.verify !== undefined && !settings.verify) io.stderr.write(`  next: ${subject.verify}\n`)
  // Only the run that made rejects exits with 3, so that a scheduler hears of them once. Later summaries still name them.
  return { exit: outcome.rejectedNow > 0 ? EXIT.rejects : EXIT.done, finished: !outcome.stoppedInTime }
}

function subjectOf(
  settings: ImportSettings,
  source: InputSource,
  { argv }: Pick<Io, 'argv'>,
  host?: string,
): ImportSubject {
  const { input, rejectsPath, caps } = settings
  return {
    input: input.kind === 'file' && input.files.length > 1 ? source.name : input.path,
    bytes: source.totalBytes,
    host,
    rejectsPath,
    perMinute: caps.perMinute,
    maxEvents: caps.events,
    verify: input.kind === 'dataset' ? continueCommand(['verify', input.path, ...placesOf(argv)]) : undefined,
  }
}

async function plan(settings: ImportSettings, io: Io): Promise<ExitCode> {
  const { lanes, limits, caps } = settings
  const startedAt = performance.now()
  const source = await openSource(settings)
  const planned = await dryRun({
    source,
    reader: await readerOf(settings),
    limits,
    pace: { perMinute: caps.perMinute, lanes },
    maxEvents: caps.events,
    youngFrom: youngSince(Date.now()),
    interrupted: io.interrupted,
  })
  if (io.interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  const subject = subjectOf(settings, source, io)
  const seconds = (performance.now() - startedAt) / 1000
  if (settings.json) io.stdout.write(`${JSON.stringify(planJson(subject, planned, seconds))}\n`)
  else io.stderr.write(planSummary(subject, planned))
  if (!isForeign(planned.counts, planned.reasons))
    io.stderr.write(`  next: ${continueCommand(io.argv.filter((word) => word !== '--dry-run'))}\n`)
  return planned.counts.rejected === 0 ? EXIT.done : EXIT.rejects
}

async function openSource(settings: ImportSettings): Promise<InputSource> {
  const { input, checkpointPath, rejectsPath, place } = settings
  if (input.kind === 'dataset') return DatasetSource.open(await openStore(input.path))
  const { openEventFiles } = await import('./event-files.ts')
  const [previous, draft] = [previousOf(checkpointPath), draftOf(checkpointPath)]
  const state = [checkpointPath, previous, draft, rejectsPath, addressIn(place, place.pace)]
  return openEventFiles(input.files, state)
}

/** Reads the lines of files by the rules of transform, with the preset for the service's own form. */
async function readerOf(settings: ImportSettings): Promise<LineReader> {
  const { input, groupEventName, bigIntegersAsStrings } = settings
  if (input.kind === 'dataset') return new EventLineReader(groupEventName)
  // Loaded only for files: a dataset's lines are events already.
  const { eventFileReader } = await import('./event-files.ts')
  return eventFileReader({ groupEventName, bigIntegersAsStrings, switches: settings.switches })
}
