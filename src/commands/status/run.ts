import { once } from 'node:events'
import { takenFrom } from '../../delivery/checkpoint.ts'
import { deliveredSum, ledgerSum } from '../../delivery/ledger.ts'
import { PosthaulError } from '../../errors.ts'
import { stateLease } from '../../imports/import-turn.ts'
import { ledgerOf } from '../../imports/project-keys.ts'
import { addressIn, openState, type StatePlace } from '../../imports/state-place.ts'
import { undoCells } from '../../imports/undo-record.ts'
import { localName, undoStanding } from '../../imports/undo-standing.ts'
import type { Io } from '../../io.ts'
import { leaseHolders } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import { plainJson } from '../../text/visible.ts'
import type { StatusCall } from './index.ts'
import { notStarted, placesFrom } from './places.ts'
import type { StatusResult } from './result.ts'
import { statusOf } from './status-of.ts'

export { statusResult as schema } from './result.ts'
export { statusLines as lines } from './text.ts'

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
