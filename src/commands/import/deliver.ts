import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { DatasetSource } from '../../delivery/dataset-source.ts'
import { ImportRun } from '../../delivery/import-run.ts'
import type { ImportState } from '../../delivery/import-state.ts'
import type { InputSource } from '../../delivery/intake.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import type { Sent } from '../../delivery/route.ts'
import { keepSent } from '../../delivery/sent-record.ts'
import { PosthaulError } from '../../errors.ts'
import type { GuardFacts } from '../../guards/guard.ts'
import { type GuardedRun, guardedRun } from '../../guards/guards.ts'
import { systemClock, untilAborted } from '../../http/clock.ts'
import { Transport } from '../../http/transport.ts'
import { ifAnswered, QUOTA_LEFT } from '../../imports/ask-project.ts'
import { watchWarnings } from '../../imports/ask-warnings.ts'
import { groupsUnasked } from '../../imports/group-input.ts'
import {
  arrivalWatch,
  hasBegun,
  type KnownProject,
  keyIsKnown,
  projectOf,
} from '../../imports/import-guards.ts'
import type { ImportOrder, PaceOrder } from '../../imports/import-order.ts'
import { openSource, readerOf, reopen, unnamedFiles } from '../../imports/import-source.ts'
import { STATE, stateLease, takeTurn } from '../../imports/import-turn.ts'
import { lossesOfDataset, rulesAsked } from '../../imports/losses.ts'
import { DAYS_MS, daysThere } from '../../imports/project-there.ts'
import { copySent, rulesSent, sentByThis, sentElsewhere } from '../../imports/sent-before.ts'
import { openState, type StatePlace } from '../../imports/state-place.ts'
import { assertNotBeingUndone } from '../../imports/undo-standing.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { IngestSettings, ReaderValues } from '../../options/service-settings.ts'
import { eventQuota } from '../../service/event-quota.ts'
import { WrongKey } from '../../service/key-owner.ts'
import { projectRules } from '../../service/project-rules.ts'
import { BatchEndpoint, CaptureV1Endpoint } from '../../service/send-events.ts'
import { noPlaceFor } from '../../state/lease.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { makeFolder } from '../../store/own-file.ts'
import { isS3 } from '../../store/s3-location.ts'
import type { Entry } from '../../telemetry/entry.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { type Progress, startProgress } from '../../telemetry/progress.ts'
import { withoutRestart } from '../../text/command-line.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { firstLook } from './import-groups.ts'
import { assertTrialMeant, importOf, subjectOf } from './import-of.ts'
import { type KeptPersons, keepPersons } from './import-persons.ts'
import type { ImportResult } from './result.ts'
import { assertTrialProject } from './trial.ts'

/** What one run of an import is given. */
export interface ImportRequest {
  readonly order: ImportOrder
  readonly options: Options<ReaderValues>
  readonly ingest: IngestSettings
  /** Opens the input; a file that somebody appends to is opened between two lines. Default: `openSource`. */
  readonly open?: () => Promise<InputSource>
}

/** How one run of an import ended. */
export interface Delivery {
  readonly result: ImportResult
  /** What ended it before its end. */
  readonly error: unknown
}

/** Sends what is left of an input. Throws what is wrong before the first event; what ends the run later is `error`. */
export async function deliver(request: ImportRequest, io: Io): Promise<Delivery> {
  const opened = await open(request, io)
  // From here on the run has something to save and to give back.
  io.drain.allow(request.order.pace.drainMs)
  try {
    const startedAt = performance.now()
    return await run(await guard(opened, io), startedAt, io)
  } finally {
    await opened.transport.close()
    await io.drain.tidy(opened.turn.release())
  }
}

/** What a run holds from its turn on. */
type Opened = Awaited<ReturnType<typeof open>>

async function open({ order, options, ingest, ...how }: ImportRequest, io: Io) {
  const { origin, projectKey } = ingest
  const { place, pace, guards } = order
  const source = await (how.open ?? (() => openSource(order)))()
  // What a program captures is not a file that somebody made.
  const isMade = order.source.input.kind === 'file' && !how.open
  assertTrialMeant(source, guards)
  // Undefined without a personal key, too.
  const voice = new Voice()
  const guarding = guardedRun(guards.accept, voice.note, 'none of the events was sent')
  const project = await ofKey(guarding, projectOf(options, projectKey, io))
  // Of a key that is accepted although it is wrong, or can't be asked for, that was said.
  const keyless = !project && guarding.findings.length === 0
  const transport = new Transport({ origin: origin.value, secrets: [projectKey], connections: pace.lanes })
  await makeStateFolder(place.at).catch((error: unknown) => {
    throw noPlaceFor(STATE, error)
  })
  const turn = await takeTurn({
    order,
    state: await stateLease(place.at, place),
    store: await openStore(place.at.ledger, place),
    target: { host: origin.value, key: projectKey.fingerprint() },
    signal: io.interrupted,
    note: (text) => io.telemetry.note('import', text, 'warn'),
  })
  const { target } = turn
  return { order, source, isMade, project, keyless, transport, projectKey, target, turn, voice, guarding }
}

/** What is asked of the owner of the project key; undefined for a wrong key that is accepted, or none that can be asked for. */
async function ofKey<T>(guarding: GuardedRun, asking: Promise<T>): Promise<T | undefined> {
  try {
    return await guarding.ask('whose the project key is', asking, (error) => !(error instanceof WrongKey))
  } catch (error) {
    if (!(error instanceof WrongKey)) throw error
    guarding.look({ wrongKey: error.message })
    return undefined
  }
}

/** --state may name a folder that is not there yet. A bucket has none. */
async function makeStateFolder({ location, ledger }: StatePlace): Promise<void> {
  // Only --state puts the ledger there too.
  if (location !== ledger || isS3(location)) return
  await makeFolder(location)
}

/** A run that may begin: nothing stands against its first event. */
type Guarded = Awaited<ReturnType<typeof guard>>

async function guard(opened: Opened, io: Io) {
  const { order, source, keyless, target, turn, voice, guarding } = opened
  const { place, guards } = order
  const { note } = voice
  const state = await openState(place.at, place)
  // What the import's earlier runs did.
  const { saved, ...unreadable } = await savedIn(state, place)
  guarding.look(unreadable)
  const project = opened.project && (await withRules(opened.project, hasBegun(order, saved)))
  if (project && guards.arrivalWaitMs > 0) {
    const unasked = (what: string) => note(`could not ask ${what}`)
    const there = await project.ask(async (asked) => ifAnswered(eventQuota(asked), QUOTA_LEFT, unasked))
    guarding.look({ quota: { there, events: source.events, sent: sentOf(place, saved) } })
  } else if (keyless) await ofKey(guarding, keyIsKnown(opened, io, note))
  const warnings = project && watchWarnings(project.ask, note)
  await assertNotBeingUndone(order, target.key, io.argv)
  const sending = { order, saved, source, target }
  const elsewhere = await sentElsewhere(sending, turn, () => openSource(order), note)
  guarding.look({
    sent: elsewhere ?? (await sentByThis(sending)),
    rules: rulesSent(sending, await rulesOf(source)),
  })
  if (!saved) guarding.look({ copy: await copySent(sending, turn) })
  for (const text of await unnamedFiles(order.source)) note(text)
  await assertTrialProject(order, source, project, saved, guarding)
  // An import that goes on has asked.
  if (!hasBegun(order, saved)) guarding.look(await daysFacts(opened, project, io))
  if (keyless && !saved) guarding.look(await groupsUnasked(order.source))
  return { ...opened, project, state, saved, warnings }
}

/** The project with its rules. An import that goes on has held its events against them. */
async function withRules(project: KnownProject, isOn: boolean): Promise<KnownProject> {
  if (isOn) return project
  return { ...project, rules: await rulesAsked(project.ask(projectRules)) }
}

/** What the import's earlier runs did; why it can't be read, where it is to be forgotten. */
async function savedIn(
  state: ImportState,
  { restart }: Pick<ImportOrder['place'], 'restart'>,
): Promise<{ readonly saved?: CheckpointState; readonly unreadable?: string }> {
  const loaded = await state.load().catch((error: unknown) => {
    if (!restart || !(error instanceof PosthaulError) || error.code !== 'mismatch') throw error
    return error
  })
  if (!loaded) return {}
  if (loaded instanceof PosthaulError) return { unreadable: loaded.message }
  const half = `${state.checkpointPath} is damaged; the generation before it is whole`
  return { saved: loaded.state, ...(restart && loaded.fellBack && { unreadable: half }) }
}

/** The version of the rules that make the events of an input. */
async function rulesOf(source: InputSource): Promise<string> {
  return source instanceof DatasetSource
    ? source.rules
    : (await import('../../imports/event-files.ts')).FILE_RULES
}

/** What the project holds of the days of a dataset; of files nobody knows the days before they are read. */
async function daysFacts(
  { order, keyless, guarding }: Opened,
  project: KnownProject | undefined,
  io: Io,
): Promise<Pick<GuardFacts, 'held' | 'unaskedDays' | 'hidden' | 'ruled'>> {
  const { input } = order.source
  if (input.kind === 'file') return {}
  const store = await openStore(input.path)
  const manifest = await readEventsManifest(store)
  const days = Object.keys(manifest.days)
  if (!project) return keyless ? { unaskedDays: days } : {}
  const asking = { days, importIds: manifest.import_ids, dataset: { store, manifest } }
  const there = project.ask((asked) => daysThere(asked, asking), DAYS_MS)
  const held = await guarding.ask('whether another import has brought events of these days', there)
  return { held, ...(await lossesOfDataset({ store, manifest }, project, io.interrupted)) }
}

async function run(guarded: Guarded, startedAt: number, io: Io): Promise<Delivery> {
  const { order, source, isMade, project, keyless, target, turn, voice, saved, warnings, guarding } = guarded
  const { note } = voice
  const input = { order, project, source, open: () => reopen(order), note }
  const first = firstLook({ ...input, isMade, guards: guarding, checkpoint: turn.checkpoint })
  const kept = await keepPersons({ ...input, keyless, saved, target }, io)
  try {
    // It can take long to look whether a large input is the one that was begun. Nothing is sent meanwhile.
    const run = await untilAborted(openRun(guarded, { first, kept }, io), io.interrupted)
    if (!run) throw new PosthaulError('interrupted', { code: 'interrupted' })
    if (source instanceof DatasetSource) await keepSentOf(order, source)
    const progress = importProgress(run, order.pace, () => first.reading() ?? kept?.reading, io)
    voice.begin(progress)
    const outcome = await run.run()
    progress.stop()
    const beside = {
      persons: kept?.keep.report,
      findings: guarding.findings,
      warnings: outcome.deliveredNow > 0 ? await warnings?.end() : undefined,
    }
    const seconds = (performance.now() - startedAt) / 1000
    const subject = subjectOf(order, source, io.argv, target.host)
    return { result: importOf(subject, outcome, beside, seconds), error: outcome.error }
  } finally {
    await kept?.close()
  }
}

async function openRun(
  guarded: Guarded,
  { first, kept }: { readonly first: ReturnType<typeof firstLook>; readonly kept: KeptPersons | undefined },
  io: Io,
): Promise<ImportRun> {
  const { order, source, project, transport, projectKey, target, turn, state, warnings, voice, guarding } =
    guarded
  const { place, pace, guards } = order
  const endpoint = new BatchEndpoint(transport, projectKey)
  const { note } = voice
  const waitMs = guards.arrivalWaitMs
  const isOver = async () => {
    const asking = project?.ask(eventQuota)
    const there = await asking?.catch(passOver)
    guarding.look({ quotaAtEnd: there })
    return there?.limited === true
  }
  return ImportRun.open({
    ...pace,
    restart: place.restart,
    acceptRefusals: guards.accept.includes('refusals'),
    state,
    source,
    reader: await readerOf(order.source),
    rules: await rulesOf(source),
    post: endpoint,
    envelope: endpoint.envelope,
    v1: new CaptureV1Endpoint(transport, projectKey, systemClock),
    target,
    turn,
    clock: systemClock,
    random: Math.random,
    interrupted: io.interrupted,
    drain: io.drain,
    note,
    retrying: voice.retrying,
    holding: voice.holding,
    settled: io.telemetry.log.shows('verbose') ? (sent) => io.telemetry.tell(batchEntry(sent)) : undefined,
    before: (_, halt) => kept?.keep.before(halt) ?? Promise.resolve(),
    after: (own, halt) => kept?.keep.after(own, halt) ?? Promise.resolve(),
    once: first.work,
    command: withoutRestart(io.argv),
    watch: project && waitMs > 0 ? arrivalWatch(project, warnings, { waitMs, note, isOver }) : undefined,
  })
}

/** At its end a run waits for no answer. */
function passOver(error: unknown): undefined {
  if (!(error instanceof PosthaulError)) throw error
}

/** What the service has taken needs no quota again. */
function sentOf(
  { restart }: Pick<ImportOrder['place'], 'restart'>,
  saved: CheckpointState | undefined,
): number {
  return restart || !saved || saved.undone ? 0 : saved.counts.delivered + saved.counts.rejected
}

/** Says beside the checkpoint what is sent, before the first event is. */
async function keepSentOf(
  { source, place: { at } }: ImportOrder,
  { manifestSha256 }: DatasetSource,
): Promise<void> {
  const state = await openStore(at.location)
  await keepSent(state, at.sent, await openStore(source.input.path), manifestSha256)
}

/** A batch that is settled, for a log that has every one. */
function batchEntry({ batch, refused }: Pick<Sent, 'batch' | 'refused'>): Entry {
  const { lane, events, bodyBytes, rejects } = batch
  const rejected = refused.length + rejects.length
  const message = `a batch of ${plural(events, 'event')} (${bytes(bodyBytes)}) is settled in lane ${lane + 1}: ${number(rejected)} rejected`
  const members = { lane: lane + 1, events, bytes: bodyBytes, rejected }
  return { event: 'batch', level: 'verbose', label: 'import', message, members }
}

/** What a run tells the user. Before its progress is shown, notes are kept, and waits are not told. */
class Voice {
  readonly #early: string[] = []
  #progress: Progress | undefined

  readonly note = (text: string): void => {
    if (this.#progress) this.#progress.note(text, 'warn')
    else this.#early.push(text)
  }

  readonly retrying = (reason: string, waitMs: number, cause: string): void => {
    this.#progress?.retrying(reason, waitMs, cause)
  }

  readonly holding = (waitMs: number): void => this.#progress?.holding(waitMs)

  begin(progress: Progress): void {
    this.#progress = progress
    for (const text of this.#early) progress.note(text, 'warn')
  }
}

/** Shows how far an import has come. `reading`: how far the input is read by those who look at it first; undefined where nobody does. */
function importProgress(
  run: ImportRun,
  { caps, lanes }: PaceOrder,
  reading: () => Advance | undefined,
  io: Io,
): Progress {
  const { perMinute } = caps
  return startProgress({
    telemetry: io.telemetry,
    label: 'import',
    perSecond: ratePerSecond({ perMinute, lanes }),
    look: () => {
      const { delivered: events, rejected, pending, unconfirmed, ...bytes } = run.progress
      const counts = {
        written: events,
        rejected,
        ...(pending !== undefined && { pending }),
        ...(unconfirmed !== undefined && { unconfirmed }),
      }
      return { ...(reading() ?? { ...bytes, events }), counts }
    },
  })
}
