import type { Turn } from '../delivery/account.ts'
import { type CheckpointState, stillThere, takenFrom } from '../delivery/checkpoint.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import type { InputSource } from '../delivery/intake.ts'
import { isSameProject, type LedgerTarget } from '../delivery/ledger.ts'
import { isAllSent } from '../delivery/resume.ts'
import { compareSent, readSent, type SentDifference } from '../delivery/sent-record.ts'
import { PosthaulError } from '../errors.ts'
import type { GuardFacts, SentOtherwise } from '../guards/guard.ts'
import { MERGE_RULE, RESEND_MERGES } from '../record/merging.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import type { RulesMade } from '../transform/rules-made.ts'
import type { ImportInput, ImportOrder } from './import-order.ts'
import { ifThere, openState, placeOf, type StatePlace } from './state-place.ts'

/** What became of events that were sent, a sentence a line. `sent`: how many, where nothing else is known of them. */
function sentLines(found: SentDifference | undefined, sent: number): string[] {
  if (!found) {
    return [
      `whether the ${plural(sent, 'event')} sent are among those of now can't be told: up to all of them would be there twice`,
    ]
  }
  const { same, alike, twice, places } = found
  const lines = [
    `of ${plural(found.sent, 'event')} on the days that were sent, ${number(same)} are the same now; up to ${number(twice)} would be there twice`,
  ]
  if (found.moved > 0) {
    lines.push(
      `of these, up to ${number(found.moved)} would be there twice because their times changed; id, name and person did not`,
      MERGE_RULE,
    )
  }
  if (alike > 0) {
    lines.push(`${number(alike)} have other properties, and the same id, name, person and time: they merge`)
  }
  if (places.length > 0) {
    const where = places.map(
      ({ day, event, count }) => `${day} ${event === null ? 'all names' : visible(event)} (${number(count)})`,
    )
    lines.push(`the first of those that differ: ${where.join(', ')}`)
  }
  return lines
}

/** What is to be sent, and what the import's earlier runs did. */
interface Sending {
  readonly order: Pick<ImportOrder, 'source' | 'place'>
  readonly saved: CheckpointState | undefined
  readonly source: InputSource
  readonly target: LedgerTarget
}

/**
 * How the input differs from what this import has sent of it into the project; undefined if it doesn't, or nothing was sent. What
 * was undone is there no more.
 */
export async function sentByThis(sending: Sending): Promise<SentOtherwise | undefined> {
  const { order, saved, source, target } = sending
  const { input } = order.source
  const { at, restart } = order.place
  if (!saved || stillThere(saved) === 0 || !isSameProject(target, saved.target)) return undefined
  // Files that are not those that were begun are refused where the run opens them, unless it is to start over.
  if (input.kind === 'file' && !restart) return undefined
  return (await isSameInput(source, saved)) ? undefined : differenceOf(input, at, saved)
}

/** The rules of what was sent, and of what would be sent now; undefined where they need not be the same. */
export function rulesSent({ order, saved, source, target }: Sending, now: string): RulesMade | undefined {
  if (!saved || saved.counts.delivered === 0 || !isSameProject(target, saved.target)) return undefined
  // What was deleted stands beside nothing; and where all is sent, nothing is made any more.
  if (order.place.restart ? saved.undone : isAllSent(saved, source)) return undefined
  const { rules: before, counts } = saved
  // Those of two vendors make events of two sources.
  if (before.split(' ')[0] !== now.split(' ')[0]) return undefined
  const what = `the events that this import has sent, says ${order.place.checkpointPath}`
  return { what, before, now, count: counts.delivered }
}

/** `before` is undefined where the state is gone. */
async function differenceOf(
  input: ImportInput,
  place: StatePlace,
  before: CheckpointState | undefined,
  sent = before ? takenFrom(before) : 0,
): Promise<SentOtherwise> {
  const found = before && (await compared(input, place, before))
  const names = found?.places.map(({ day, event }) => `${day} ${event ?? 'all names'}`) ?? []
  return { input: input.path, sent, lines: sentLines(found, sent), twice: found?.twice ?? sent, names }
}

/** Undefined if nothing tells. */
async function compared(
  input: ImportInput,
  place: StatePlace,
  before: CheckpointState,
): Promise<SentDifference | undefined> {
  if (input.kind !== 'dataset' || before.input.kind !== 'dataset') return undefined
  const record = await readSent(await openStore(place.location), place.sent)
  if (record?.header.manifest_sha256 !== before.input.manifest_sha256) return undefined
  const dataset = await openStore(input.path)
  return compareSent(record, before, dataset, await readEventsManifest(dataset))
}

/** How a dataset differs from what its import has sent; undefined if nothing was sent, or it is the same. */
export async function sentOtherwise(dataset: string, place: StatePlace): Promise<SentOtherwise | undefined> {
  const loaded = await (await openState(place)).load().catch((error: unknown) => {
    // What can't be read as a checkpoint says nothing; import tells.
    if (error instanceof PosthaulError) return undefined
    throw error
  })
  if (loaded?.state.input.kind !== 'dataset' || stillThere(loaded.state) === 0) return undefined
  const source = await DatasetSource.open(await openStore(dataset))
  if (await isSameInput(source, loaded.state)) return undefined
  return differenceOf({ kind: 'dataset', path: dataset }, place, loaded.state)
}

/** Another import that has sent the events of a dataset, which is known by what it holds. */
export async function copySent(
  { order, source }: Pick<Sending, 'order' | 'source'>,
  turn: Pick<Turn, 'ledger' | 'checkpoint' | 'input'>,
): Promise<GuardFacts['copy']> {
  const input = source.identity()
  if (input.kind !== 'dataset') return undefined
  const other = (await turn.ledger.imports()).find(
    (entry) =>
      entry.content === input.content &&
      entry.delivered > 0 &&
      entry.checkpoint !== turn.checkpoint &&
      // Of the same input --restart says it.
      !(order.place.restart && entry.input === turn.input),
  )
  if (!other) return undefined
  const there = await ifThere((await openState(placeOf(other.checkpoint, order.place.at.ledger))).load())
  return { ...other, input: order.source.input.path, isGone: there === undefined }
}

function isSameInput(source: InputSource, { input }: CheckpointState): Promise<boolean> {
  return source.verify(input).then(
    () => true,
    (error: unknown) => {
      if (error instanceof PosthaulError && error.code === 'mismatch') return false
      throw error
    },
  )
}

/**
 * Looks whether an import that has no state of its own was begun with its state elsewhere: begun anew, all that was delivered would
 * be sent again. Code `mismatch` if so. If the dataset was made anew since, how it differs from what was sent into the same project.
 * A state elsewhere that is another input's is only noted.
 */
export async function sentElsewhere(
  { order, target, saved, source: opened }: Sending,
  turn: Pick<Turn, 'ledger' | 'checkpoint' | 'input'>,
  openSource: () => Promise<InputSource>,
  note: (text: string) => void,
): Promise<SentOtherwise | undefined> {
  const { at, others, restart, checkpointPath } = order.place
  if (restart || saved) return undefined
  for (const place of others) {
    const other = await openState(place)
    const loaded = await ifThere(other.load())
    if (!loaded) continue
    const source = await openSource()
    const path = other.checkpointPath
    const { input, target: to } = loaded.state
    if (await isSameInput(source, loaded.state))
      throw isSameProject(target, to) ? begunAt(place, path, at) : begunForAnother(path)
    const isThis = input.kind === 'dataset' && input.name === source.name
    if (isThis && isSameProject(target, to) && stillThere(loaded.state) > 0)
      return differenceOf(order.source.input, place, loaded.state)
    note(`${path} is of another input; this import keeps its state in ${checkpointPath}`)
  }
  // One that has sent the same is found as a copy.
  return (await copySent({ order, source: opened }, turn)) ? undefined : sentByOthers(order, turn, openSource)
}

/** The same by the ledger, which knows every import of this user. A state can have been moved since. */
async function sentByOthers(
  { source: { input }, place: { at } }: Sending['order'],
  turn: Pick<Turn, 'ledger' | 'checkpoint' | 'input'>,
  openSource: () => Promise<InputSource>,
): Promise<SentOtherwise | undefined> {
  for (const { input: sent, content, delivered, checkpoint } of await turn.ledger.imports()) {
    if (sent !== turn.input || delivered === 0 || checkpoint === turn.checkpoint) continue
    const place = placeOf(checkpoint, at.ledger)
    const state = (await ifThere((await openState(place)).load()))?.state
    if (state && stillThere(state) === 0) continue
    if (state && (await isSameInput(await openSource(), state))) throw begunAt(place, checkpoint, at)
    const found = content !== undefined && (await differenceOf(input, place, state, delivered))
    if (found && found.twice > 0) return found
  }
  return undefined
}

/** To another address, or by another key, which may be the same project's. */
function begunForAnother(path: string): PosthaulError {
  const hint = `if that is another project, give this import a state of its own: --checkpoint, with a file that is not there yet; if it is the same project, go on with --checkpoint ${path}`
  const text = `this import was begun for another address or key, with its state in ${path}`
  return new PosthaulError(text, { code: 'mismatch', hint })
}

function begunAt(other: StatePlace, path: string, { location, ledger }: StatePlace): PosthaulError {
  // Only --state puts both into one place.
  const isNamed = location === ledger
  const there = `go on there with --checkpoint ${path}${isNamed ? ' in place of --state' : ''}`
  const goOn = isS3(other.location) ? 'go on without --state' : there
  return new PosthaulError(`this import was begun with its state in ${path}`, {
    code: 'mismatch',
    hint: `${goOn}; or add --restart, which sends all of it again: ${RESEND_MERGES}`,
    ...(!isNamed && { options: { '--checkpoint': path } }),
  })
}
