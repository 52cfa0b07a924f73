import type { SentOtherwise } from '../checks/verification.ts'
import type { Turn } from '../delivery/account.ts'
import { type CheckpointState, stillThere, takenFrom } from '../delivery/checkpoint.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import type { ImportState } from '../delivery/import-state.ts'
import type { InputSource } from '../delivery/intake.ts'
import { isSameProject, type LedgerTarget } from '../delivery/ledger.ts'
import { compareSent, readSent, type SentDifference } from '../delivery/sent-record.ts'
import { PosthaulError } from '../errors.ts'
import { MERGE_RULE, RESEND_MERGES } from '../record/merging.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { shellWord } from '../text/shell-word.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import type { ImportInput, ImportOrder } from './import-order.ts'
import { ifThere, openState, type StatePlace } from './state-place.ts'

const MOST_PROPERTIES = 5

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
  const members = [...namesOf('only then', found.gone), ...namesOf('only now', found.added)]
  if (members.length > 0) lines.push(`properties: ${members.join('; ')}`)
  return lines
}

function namesOf(when: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rest = names.length - MOST_PROPERTIES
  const some = names.slice(0, MOST_PROPERTIES).map(visible).join(', ')
  return [`${when} ${some}${rest > 0 ? ` and ${number(rest)} more` : ''}`]
}

interface Sending {
  readonly order: Pick<ImportOrder, 'source' | 'place' | 'guards'>
  readonly state: ImportState
  readonly source: InputSource
  readonly target: LedgerTarget
  readonly turn: Pick<Turn, 'ledger' | 'checkpoint'>
  readonly note: (text: string) => void
}

/**
 * Refuses, with code `mismatch`, what would send events beside others that this import, or a copy of its dataset, has sent
 * into the project before. With --send-again it is only noted. What was undone is there no more.
 */
export async function assertNotSentBefore(sending: Sending): Promise<void> {
  const { state, source, target, note } = sending
  const { input } = sending.order.source
  const { at, restart, force } = sending.order.place
  const { sendAgain } = sending.order.guards
  const loaded = await state.load().catch((error: unknown) => {
    if (force && error instanceof PosthaulError && error.code === 'mismatch') return undefined
    throw error
  })
  if (!loaded) return assertNoCopySent(sending)
  const before = loaded.state
  if (stillThere(before) === 0 || !isSameProject(target, before.target)) return
  // Files that are not those that were begun are refused where the run opens them, unless it is to start over.
  if (input.kind === 'file' && !restart) return
  if (await isSameInput(source, before)) return
  const found = await differenceOf({ input, place: at }, before)
  if (restart && sendAgain) {
    for (const line of sentLines(found, takenFrom(before))) note(line)
    return
  }
  const isDataset = input.kind === 'dataset'
  throw new PosthaulError(
    `${input.path} is not what was sent: this import has sent ${plural(takenFrom(before), 'event')} of it as it was before`,
    {
      code: 'mismatch',
      lines: sentLines(found, takenFrom(before)),
      hint: isDataset
        ? 'take the change back and transform again; or transform by the new rules into another folder, for another project. ' +
          'To send all of it once more beside what is there: --restart --send-again'
        : 'import the original; or another file with a --checkpoint of its own. To send all of this one once more: --restart --send-again',
    },
  )
}

/** How the events that an import has sent differ from the dataset as it is now; undefined if nothing tells. */
async function differenceOf(
  { input, place }: { readonly input: ImportInput; readonly place: StatePlace },
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
  const found = await differenceOf({ input: { kind: 'dataset', path: dataset }, place }, loaded.state)
  const sent = takenFrom(loaded.state)
  const names = found?.places.map(({ day, event }) => `${day} ${event ?? 'all names'}`) ?? []
  return { lines: sentLines(found, sent), twice: found?.twice ?? sent, names }
}

/** A dataset that was renamed or copied is known by what it holds. */
async function assertNoCopySent({ order, source, turn }: Sending): Promise<void> {
  const input = source.identity()
  if (order.guards.sendAgain || input.kind !== 'dataset') return
  const ledger = await turn.ledger.read()
  const other = ledger?.imports.find(
    ({ content, delivered, checkpoint }) =>
      content !== undefined && content === input.content && delivered > 0 && checkpoint !== turn.checkpoint,
  )
  if (!other) return
  throw new PosthaulError(
    `the events of ${order.source.input.path} were sent before: ${number(other.delivered)} of them, says ${other.checkpoint}`,
    {
      code: 'mismatch',
      hint: `a dataset that was renamed or copied goes on where it was: add --checkpoint ${shellWord(other.checkpoint)}. To send it once more, and count it twice: --send-again`,
    },
  )
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
 * Throws `mismatch` if this import has no state of its own, but was begun with its state elsewhere: begun anew, all that
 * was delivered would be sent again. So does the state of this dataset as it was before it was made anew, for the same
 * project. A state elsewhere that is another input's is only noted.
 */
export async function assertNotBegunElsewhere(
  { order, target, state, note }: Pick<Sending, 'order' | 'target' | 'state' | 'note'>,
  openSource: () => Promise<InputSource>,
): Promise<void> {
  const { input: own } = order.source
  const { at, others, restart } = order.place
  if (restart || (await state.load())) return
  for (const place of others) {
    const other = await openState(place)
    const loaded = await ifThere(other.load())
    if (!loaded) continue
    const source = await openSource()
    const path = other.checkpointPath
    if (await isSameInput(source, loaded.state)) throw begunAt(place, path, at)
    const { input, target: to } = loaded.state
    const isThis = input.kind === 'dataset' && input.name === source.name
    if (isThis && isSameProject(target, to) && stillThere(loaded.state) > 0 && !order.guards.sendAgain) {
      throw madeAnew(own.path, takenFrom(loaded.state), path)
    }
    note(`${path} is of another input; this import keeps its state in ${state.checkpointPath}`)
  }
}

function madeAnew(dataset: string, sent: number, path: string): PosthaulError {
  return new PosthaulError(
    `${dataset} is not what was sent: ${plural(sent, 'event')} of it as it was before were, says ${path}`,
    {
      code: 'mismatch',
      hint: `import with --checkpoint ${shellWord(path)} tells how they differ; to send all of it once more beside them, add --send-again`,
    },
  )
}

function begunAt(other: StatePlace, path: string, { location, ledger }: StatePlace): PosthaulError {
  // Only --state puts both into one place.
  const isNamed = location === ledger
  const there = `go on there with --checkpoint ${path}${isNamed ? ' in place of --state' : ''}`
  const goOn = isS3(other.location) ? 'go on without --state' : there
  return new PosthaulError(`this import was begun with its state in ${path}`, {
    code: 'mismatch',
    hint: `${goOn}; or begin anew with --restart: ${RESEND_MERGES}`,
    ...(!isNamed && { options: { '--checkpoint': path } }),
  })
}
