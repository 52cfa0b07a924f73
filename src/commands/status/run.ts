import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { takenFrom } from '../../delivery/checkpoint.ts'
import { deliveredSum, ledgerSum } from '../../delivery/ledger.ts'
import { VIA_WORDS } from '../../delivery/route.ts'
import { PosthaulError } from '../../errors.ts'
import { stateLease } from '../../imports/import-turn.ts'
import { ledgerOf } from '../../imports/project-keys.ts'
import {
  addressIn,
  CHECKPOINT_SUFFIX,
  checkpointsIn,
  openState,
  placeIn,
  placeOf,
  type StatePlace,
  stateHome,
  statePlace,
} from '../../imports/state-place.ts'
import { undoCells } from '../../imports/undo-record.ts'
import { localName, undoStanding } from '../../imports/undo-standing.ts'
import { requestWords, undoneWords } from '../../imports/undo-words.ts'
import { statOf } from '../../inputs/locate.ts'
import type { Io } from '../../io.ts'
import { leaseHolders } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { plainJson } from '../../text/visible.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { block, noteLines, remarkLines, topNames } from '../lines.ts'
import type { StatusCall } from './index.ts'
import type { StatusResult } from './result.ts'
import { statusOf } from './status-of.ts'

export { statusResult as schema } from './result.ts'

/** Yields where each import stands. */
export async function* run(call: StatusCall, world: Io): AsyncGenerator<StatusResult, void> {
  const { values } = call
  const places = await placesFrom(call, world.env)
  if (values.rejects) return printRejects(places, values, world)
  yield* await Promise.all(
    places.map(async (place) => (await lookAt(place, world)) ?? notStarted(place, values)),
  )
}

/** Prints the rejects of one import: as they are into a file, so that they go back as they were; in escapes on a terminal. */
async function printRejects(
  [place, other]: readonly StatePlace[],
  values: StatusCall['values'],
  world: Io,
): Promise<void> {
  if (place === undefined || other !== undefined) {
    throw new PosthaulError('--rejects prints those of one import', {
      code: 'usage',
      hint: 'name its input with --file or --dataset, or its checkpoint',
    })
  }
  const { stdout, unread } = world
  const files = await openState(place)
  const { state, fellBack } = (await files.load()) ?? notStarted(place, values)
  if (fellBack) tellDamaged(files.checkpointPath, world)
  const decoder = new TextDecoder()
  for await (const chunk of files.rejects.read(state.rejects)) {
    if (unread.aborted) return
    const shown = stdout.isTTY ? plainJson(decoder.decode(chunk, { stream: true })) : chunk
    if (!stdout.write(shown)) await once(stdout, 'drain')
  }
}

/** Looks at one import: undefined if it has not begun. */
async function lookAt(place: StatePlace, world: Io): Promise<StatusResult | undefined> {
  const path = addressIn(place, place.checkpoint)
  const loaded = await (await openState(place)).load()
  if (!loaded) return undefined
  const { state, fellBack } = loaded
  if (fellBack) tellDamaged(path, world)
  const [runs] = await leaseHolders(await stateLease(place))
  const undo = await undoCells(place, place.ledger, state.target.key)
  const ledger = await ledgerOf(await openStore(place.ledger), state.target).read()
  return statusOf(path, state, {
    now: Date.now(),
    runs,
    migration: ledger && {
      events: ledgerSum(ledger),
      // Without what killed runs had claimed, which the next run sends.
      delivered: deliveredSum(ledger, { importId: state.id, taken: takenFrom(state) }),
      since: ledger.started_at,
      imports: ledger.imports.length,
    },
    undo: await undoStanding(undo, state, localName(state)),
  })
}

/** Says that a checkpoint is not the last one that was saved. */
function tellDamaged(path: string, { telemetry }: Io): void {
  telemetry.note('status', `${path} is damaged; this is the one saved before it`, 'warn')
}

/** The imports that are named; else all that have a checkpoint here, or at --state. Code `input` if there is none. */
async function placesFrom({ args, values }: StatusCall, env: Io['env']): Promise<StatePlace[]> {
  const { file, dataset, checkpoint, state } = values
  const ledger = stateHome(env)
  const named = (await Promise.all(args.map((path) => placesOf(path, values, env)))).flat()
  // Several files have the checkpoint of the first.
  const inputs = [file[0], dataset].filter((input) => input !== undefined)
  named.push(...inputs.map((input) => statePlace({ ...values, input }, env)))
  if (inputs.length === 0 && checkpoint !== undefined) named.push(placeOf(checkpoint, ledger))
  if (named.length > 0) return named
  const all = await allIn(state ?? '.', state === undefined ? ledger : undefined)
  if (all.length > 0) return all
  throw new PosthaulError(
    `no checkpoint ${state === undefined ? 'here' : `in ${state}`}: no import has started`,
    {
      code: 'input',
      hint: 'name the input with --file or --dataset, or the checkpoint itself',
    },
  )
}

/** What a path that no option precedes means: a checkpoint, an input as --dataset or --file take it, or a folder of checkpoints. */
async function placesOf(path: string, values: StatusCall['values'], env: Io['env']): Promise<StatePlace[]> {
  const ledger = stateHome(env)
  const itself = placeOf(path, ledger)
  if (path.endsWith(CHECKPOINT_SUFFIX)) return [itself]
  const ofInput = statePlace({ ...values, input: path }, env)
  if (await (await openState(ofInput)).load()) return [ofInput]
  if (/\.ya?ml$/.test(path)) {
    throw new PosthaulError(`${path} is not what an import sends`, {
      code: 'usage',
      hint: 'of a migration file, status --state <its store>/state shows all imports',
    })
  }
  if (!isS3(path) && (await statOf(path)) !== 'folder') return [itself]
  const all = await allIn(path, ledger)
  return all.length > 0 ? all : notStarted(ofInput, { ...values, dataset: path })
}

/** Every import whose state is at a location. With --state the ledger is there too. */
async function allIn(location: string, ledger = location): Promise<StatePlace[]> {
  return (await checkpointsIn(location)).map((name) => placeIn(location, name, ledger))
}

/** Throws, with code `input`, and tells how the import begins if its input is there. */
function notStarted(place: StatePlace, { file, dataset, state }: StatusCall['values']): never {
  const [flag, inputs] = dataset === undefined ? ['--file', file] : ['--dataset', [dataset]]
  const where = state === undefined ? [] : ['--state', state]
  const isThere = inputs[0] !== undefined && (isS3(inputs[0]) || existsSync(inputs[0]))
  throw new PosthaulError(
    `there is no checkpoint at ${addressIn(place, place.checkpoint)}: that import has not started`,
    {
      code: 'input',
      hint: isThere
        ? `${posthaulLine(['import', flag, ...inputs, ...where])} starts it; if it has a --checkpoint of its own, name that`
        : 'check the path for a typing error',
    },
  )
}

/** An import for a person. */
export function lines(result: StatusResult): string[] {
  const { input, via, unconfirmed, rejected, pending, caps, undo, migration } = result
  const { held_by: runs, ends_at: endsAt } = result
  const command = isCapped(result) ? null : (result.undo_command ?? result.import_command)
  return [
    ...block(`${result.checkpoint}: ${whereWords(result)}`, {
      input: `${input.name}, ${bytes(input.bytes)}`,
      to: result.host,
      by: via === 'batch' ? null : VIA_WORDS[via],
      id: result.import_ids,
      written: `${plural(result.written, 'event')}${unconfirmed > 0 ? `, ${number(unconfirmed)} of them unconfirmed` : ''}`,
      rejected: rejected > 0 ? `${number(rejected)}  ${topNames(result.rejects)}` : '0',
      pending: pending ? `${number(pending)}  not acknowledged yet` : null,
      caps: `${number(caps.events_per_minute)} events a minute, ${number(caps.events)} in total${caps.approved ? ' (approved)' : ''}`,
      started: result.started_at,
      saved: result.saved_at,
      undo: undo && requestWords(undo),
      migration:
        migration &&
        `${plural(migration.events, 'event')}, over all imports into this project since ${migration.since}`,
      ends: endsAt && `${endsAt.slice(0, 16).replace('T', ' ')} UTC at the earliest, at the rate cap`,
      running: runningWords(result),
    }),
    ...remarkLines({ ...result, unknown_answers: unconfirmed }),
    ...noteLines(result),
    ...(command === null ? [] : [`  ${runs ? 'if it ends early' : 'then'}: ${command}`]),
  ]
}

function whereWords({ undo, done, share }: StatusResult): string {
  if (undo) return undoneWords(undo)
  if (done) return 'done'
  return share === null ? 'not done' : `${Math.floor(share * 100)}% done`
}

function runningWords(result: StatusResult): string | null {
  const { held_by: runs } = result
  if (runs) return `${runs.process}, since ${runs.since}${runs.seen ? '' : ' (not seen from here)'}`
  if (result.sent) return null
  if (isCapped(result))
    return 'no: its volume cap is reached; repeat its import command with a higher --max-events'
  return result.import_command === null ? 'no: repeat its import command to continue' : 'no'
}

function isCapped({ written, caps, migration }: StatusResult): boolean {
  return (migration?.delivered ?? written) >= caps.events
}
