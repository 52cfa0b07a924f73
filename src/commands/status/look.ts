import { takenFrom } from '../../delivery/checkpoint.ts'
import { deliveredSum, ledgerSum } from '../../delivery/ledger.ts'
import { stateLease } from '../../imports/import-turn.ts'
import { ledgerOf } from '../../imports/project-keys.ts'
import { addressIn, openState, type StatePlace } from '../../imports/state-place.ts'
import { undoCells } from '../../imports/undo-record.ts'
import { localName, undoStanding } from '../../imports/undo-standing.ts'
import type { Io } from '../../io.ts'
import { leaseHolders } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import type { StatusResult } from './result.ts'
import { statusOf } from './status-of.ts'

type World = Pick<Io, 'telemetry'>

/** Looks at one import: undefined if it has not begun. */
export async function lookAt(place: StatePlace, world: World): Promise<StatusResult | undefined> {
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
export function tellDamaged(path: string, { telemetry }: World): void {
  telemetry.note('status', `${path} is damaged; this is the one saved before it`, 'warn')
}
