import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { DatasetSource } from '../../delivery/dataset-source.ts'
import type { InputSource } from '../../delivery/event-source.ts'
import { ImportRun } from '../../delivery/import-run.ts'
import type { LedgerTarget } from '../../delivery/ledger.ts'
import type { Outcome } from '../../delivery/outcome.ts'
import { PaceLog } from '../../delivery/pace-log.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import type { Sent } from '../../delivery/route.ts'
import { keepSent } from '../../delivery/sent-record.ts'
import type { Turn } from '../../delivery/turn.ts'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Secret } from '../../http/secret.ts'
import { Transport } from '../../http/transport.ts'
import { untilAborted } from '../../http/until-aborted.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { IngestSettings, ReaderValues } from '../../options/service-settings.ts'
import { BatchEndpoint } from '../../service/batch.ts'
import { CaptureV1Endpoint } from '../../service/capture-v1.ts'
import { makeFolder } from '../../store/make-folder.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import type { Entry } from '../../telemetry/entry.ts'
import { type Progress, startProgress } from '../../telemetry/progress.ts'
import { withoutRestart } from '../../text/command-line.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { assertNotBeingUndone } from '../undo/guard.ts'
import { assertNoOthers } from './assert-no-others.ts'
import { nobodyAsked } from './foresee-groups.ts'
import { GroupGuard } from './import-groups.ts'
import {
  arrivalWatch,
  type KnownProject,
  keyIsKnown,
  projectOf,
  question,
  quotaAllows,
} from './import-guards.ts'
import { type KeptPersons, keepPersons, savedState } from './import-persons.ts'
import type { ImportSettings } from './import-settings.ts'
import { openSource, readerOf, reopen, unnamedFiles } from './import-source.ts'
import { subjectOf } from './import-subject.ts'
import type { ImportSubject } from './import-summary.ts'
import { stateLease, takeTurn } from './import-turn.ts'
import { assertNotBegunElsewhere } from './other-state.ts'
import { assertNotSentBefore } from './sent-before.ts'
import { openState, paceFile, type StatePlace } from './state-place.ts'
import { WarningWatch } from './warning-watch.ts'

const UNCHECKED =
  'with --skip-key-check no one asks whose the project key is, which group types and which of these days the project has, nor whether events arrive'

/** What one run of an import is asked to do. */
export interface ImportOrder {
  readonly settings: ImportSettings
  readonly options: Options<ReaderValues>
  readonly ingest: IngestSettings
  /** Opens the input; a file that somebody appends to is opened between two lines. Default: `openSource`. */
  readonly open?: () => Promise<InputSource>
}

/** How one run of an import ended. */
export interface ImportEnd {
  readonly subject: ImportSubject
  readonly outcome: Outcome
  /** How long it took, from its turn on. */
  readonly seconds: number
}

/**
 * Runs an import, from its settings to its outcome: the command prints that, the library returns it. Throws what is wrong
 * before the first event; what ends the run later is the outcome's `error`.
 */
export async function runImport(
  { settings, options, ingest, open }: ImportOrder,
  io: Io,
): Promise<ImportEnd> {
  const { origin, projectKey } = ingest
  const source = await (open ?? (() => openSource(settings)))()
  const project = settings.skipKeyCheck ? undefined : await projectOf(options, projectKey, io)
  const transport = new Transport({
    origin: origin.value,
    secrets: [projectKey],
    connections: settings.lanes,
  })
  await makeStateFolder(settings.place)
  const target = { host: origin.value, key: projectKey.fingerprint() }
  const turn = await takeTurn({
    settings,
    state: await stateLease(settings.place, settings),
    store: await openStore(settings.place.ledger, settings),
    target,
    signal: io.interrupted,
    note: (text) => io.telemetry.note('import', text, 'warn'),
  })
  // From here on the run has something to save and to give back.
  io.drain.allow(settings.drainMs)
  try {
    const endpoint = new BatchEndpoint(transport, projectKey)
    const v1 = new CaptureV1Endpoint(transport, projectKey, systemClock)
    return await deliver(settings, io, { target, turn, source, endpoint, v1, project, transport, projectKey })
  } finally {
    await transport.close()
    await io.drain.tidy(turn.release())
  }
}

/** --state may name a folder that is not there yet. A bucket has none. */
async function makeStateFolder({ location, ledger }: StatePlace): Promise<void> {
  // Only --state puts the ledger there too.
  if (location !== ledger || isS3(location)) return
  await makeFolder(location)
}

interface Delivery {
  readonly target: LedgerTarget
  readonly turn: Turn
  readonly source: InputSource
  readonly endpoint: BatchEndpoint
  readonly v1: CaptureV1Endpoint
  /** Undefined without a personal key, and when the check of the key is skipped. */
  readonly project: KnownProject | undefined
  readonly transport: Transport
  readonly projectKey: Secret
}

async function deliver(settings: ImportSettings, io: Io, delivery: Delivery): Promise<ImportEnd> {
  const { target, turn, source, endpoint, v1, project } = delivery
  const startedAt = performance.now()
  const early: string[] = settings.skipKeyCheck ? [UNCHECKED] : []
  const shown: Pick<Progress, 'note' | 'retrying' | 'holding'> = {
    note: (text) => void early.push(text),
    retrying: () => undefined,
    holding: () => undefined,
  }
  const note = (text: string) => shown.note(text, 'warn')
  const { arrivalWaitMs } = settings
  const state = await openState(settings.place, settings)
  const saved = await savedState(state)
  if (project) await quotaAllows(project, settings, leftToSend(source, settings.restart, saved), io, note)
  else if (!settings.skipKeyCheck) await keyIsKnown(delivery, io, note)
  const warnings =
    project && new WarningWatch(project.id, (work) => question(project.settings, io, work), note)
  await assertNotBeingUndone(settings, target.key, io.argv)
  await assertNotBegunElsewhere(
    settings,
    target,
    state,
    () => openSource(settings),
    (text) => void early.push(text),
  )
  await assertNotSentBefore({ settings, state, source, target, turn, note })
  early.push(...(await unnamedFiles(settings)))
  await assertNoOthers({ settings, project, state, io, note })
  let kept: KeptPersons | undefined
  const groups = project && new GroupGuard({ project, settings, checkpoint: turn.checkpoint, io, note })
  if (!project && !settings.skipKeyCheck && !saved) early.push(...(await nobodyAsked(settings)))
  let pace: PaceLog | undefined
  const opening = ImportRun.open({
    ...settings,
    state,
    source,
    reader: await readerOf(settings),
    rules: source instanceof DatasetSource ? source.rules : (await import('./event-files.ts')).FILE_RULES,
    post: endpoint,
    envelope: endpoint.envelope,
    v1,
    target,
    turn,
    clock: systemClock,
    random: Math.random,
    interrupted: io.interrupted,
    drain: io.drain,
    note,
    retrying: (reason, waitMs, cause) => {
      pace?.waiting(waitMs, reason)
      shown.retrying(reason, waitMs, cause)
    },
    holding: (waitMs) => shown.holding(waitMs),
    settled: io.telemetry.log.shows('verbose') ? (sent) => io.telemetry.tell(batchEntry(sent)) : undefined,
    before: (_, halt) => kept?.keep.before(halt) ?? Promise.resolve(),
    after: (own, halt) => kept?.keep.after(own, halt) ?? Promise.resolve(),
    once: groups?.work,
    command: withoutRestart(io.argv),
    watch:
      project && arrivalWaitMs > 0 ? arrivalWatch(project, arrivalWaitMs, io, note, warnings) : undefined,
  })
  // It can take long to look whether a large input is the one that was begun. Nothing is sent meanwhile.
  const run = await untilAborted(opening, io.interrupted)
  if (!run) throw new PosthaulError('interrupted', { code: 'interrupted' })
  if (source instanceof DatasetSource) await keepSentOf(settings, source)
  const open = () => reopen(settings)
  kept = await keepPersons({ settings, project, source, saved, target, open, note }, io)
  const progress = startProgress({
    telemetry: io.telemetry,
    label: 'import',
    limits: { eventsPerMinute: settings.caps.perMinute, events: settings.caps.events, lanes: settings.lanes },
    perSecond: ratePerSecond({ perMinute: settings.caps.perMinute, lanes: settings.lanes }),
    look: () => {
      const { delivered: events, rejected, pending, unconfirmed, ...bytes } = run.progress
      const counts = {
        written: events,
        rejected,
        ...(pending !== undefined && { pending }),
        ...(unconfirmed !== undefined && { unconfirmed }),
      }
      return { ...(groups?.reading ?? kept?.reading ?? { ...bytes, events }), counts }
    },
  })
  Object.assign(shown, progress)
  for (const text of early) progress.note(text, 'warn')
  pace = new PaceLog({
    file: await paceFile(settings.place),
    look: () => run.progress,
    failed: (error) =>
      progress.note(`the pace of this import is not kept: ${(error as Error).message}`, 'warn'),
  })
  const outcome = await run.run().finally(() => kept?.close())
  await pace.stop(failureOf(outcome.error))
  progress.stop()
  const seconds = (performance.now() - startedAt) / 1000
  const subject = {
    ...subjectOf(settings, source, io, target.host),
    persons: kept?.keep.report,
    warnings: outcome.deliveredNow > 0 ? await warnings?.end(settings, io.interrupted) : undefined,
  }
  return { subject, outcome, seconds }
}

/** The events that this run is to send, so far as that is known: what the service has taken needs no quota again. */
function leftToSend(
  { events }: InputSource,
  restart: boolean,
  saved: CheckpointState | undefined,
): number | undefined {
  if (events === undefined || restart || !saved || saved.undone) return events
  return Math.max(0, events - saved.counts.delivered - saved.counts.rejected)
}

/** Says beside the checkpoint what is sent, before the first event is. */
async function keepSentOf(
  { place, input }: ImportSettings,
  { manifestSha256 }: DatasetSource,
): Promise<void> {
  const state = await openStore(place.location)
  await keepSent(state, place.sent, await openStore(input.path), manifestSha256)
}

/** A batch that is settled, for a log that has every one. */
function batchEntry({ batch, refused }: Pick<Sent, 'batch' | 'refused'>): Entry {
  const { lane, events, bodyBytes, rejects } = batch
  const rejected = refused.length + rejects.length
  const message = `a batch of ${plural(events, 'event')} (${bytes(bodyBytes)}) is settled in lane ${lane + 1}: ${number(rejected)} rejected`
  const members = { lane: lane + 1, events, bytes: bodyBytes, rejected }
  return { event: 'batch', level: 'verbose', label: 'import', message, members }
}

/** What `status` tells of a run that did not end well; undefined for one that did, or was told to stop. */
function failureOf(error: unknown): string | undefined {
  if (error === undefined || (error instanceof PosthaulError && error.code === 'interrupted'))
    return undefined
  return error instanceof Error ? error.message : String(error)
}
