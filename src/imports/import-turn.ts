import { resolve } from 'node:path'
import type { Turn } from '../delivery/account.ts'
import { type LedgerTarget, ledgerName } from '../delivery/ledger.ts'
import { PosthaulError } from '../errors.ts'
import { type Cell, fileCell, storeCell } from '../state/cell.ts'
import { acquireLease, type Lease, type LeaseRequest, noPlaceFor } from '../state/lease.ts'
import { openStore } from '../store/open.ts'
import type { S3StoreOptions } from '../store/s3.ts'
import { isS3 } from '../store/s3-location.ts'
import type { Store } from '../store/store.ts'
import type { ImportOrder } from './import-order.ts'
import { homeTargetOf, ledgerOf, targetOf } from './project-keys.ts'
import { addressIn, fullAddress, type StatePlace } from './state-place.ts'

interface TurnRequest {
  readonly order: Pick<ImportOrder, 'source' | 'place'>
  /** The lease of the checkpoint. */
  readonly state: Cell
  /** Where the ledgers are. */
  readonly store: Store
  /** The project by the key that events are sent with. */
  readonly target: LedgerTarget
  readonly signal: AbortSignal
  readonly note: (text: string) => void
}

/**
 * Waits for an import's turn: no other run has its checkpoint, and no other import draws on the project's rate cap. Code
 * `locked` if somebody else has either, and the import was not told to wait.
 */
export async function takeTurn(
  request: TurnRequest,
): Promise<Turn & { readonly target: LedgerTarget; release(): Promise<void> }> {
  const { order, state, store, signal, note } = request
  const { checkpointPath, wait, steal, newMigration } = order.place
  const common = { purpose: `import of ${order.source.input.path}`, wait, steal, signal, note }
  const ofState = await acquire(
    { ...common, cell: state, keeps: STATE },
    'add --wait to go on after it, or stop it',
  )
  try {
    const { target, caps, home } = await ofProject(request, common).catch((error: unknown) => {
      throw noPlaceFor(LEDGER, error)
    })
    return {
      target,
      ledger: ledgerOf(store, target, home),
      // An address of a bucket is whole already.
      checkpoint: checkpointPath.includes('://') ? checkpointPath : resolve(checkpointPath),
      input: fullAddress(order.source.input.path),
      newMigration,
      look: async () => {
        await Promise.all([ofState, ...caps].map((lease) => lease.look()))
      },
      lookAtState: () => ofState.look(),
      release: async () => {
        for (const lease of [...caps, ofState]) await lease.release()
      },
    }
  } catch (error) {
    await ofState.release()
    throw error
  }
}

/** The project, and the leases of its rate cap: beside the ledger, and beside the user's own ledger if that is another. */
async function ofProject(
  { order, store, target: asked, note }: TurnRequest,
  common: Omit<LeaseRequest, 'cell'>,
) {
  const { at, home: path, replacesKey } = order.place
  const target = await targetOf(store, asked, replacesKey)
  const taken = 'another import draws on the rate cap of this project'
  // The holder of this lease is the import that draws on the cap.
  const leaseIn = (where: Store, project = target) => {
    const cell = storeCell(where, ledgerName(project).replace(/\.json$/, '.lock'))
    return acquire({ ...common, cell, taken }, 'add --wait to queue this one')
  }
  const ofCap = await leaseIn(store)
  if (fullAddress(at.ledger) === path) return { target, caps: [ofCap], home: undefined }
  const home = await openStore(path)
  try {
    const there = await homeTargetOf(home, target)
    return { target, caps: [ofCap, await leaseIn(home, there)], home: ledgerOf(home, there) }
  } catch (error) {
    if (noPlaceFor(LEDGER, error) !== error) {
      note(
        `imports of this user with another --state are not counted with this one: ${(error as Error).message}`,
      )
      return { target, caps: [ofCap], home: undefined }
    }
    await ofCap.release()
    throw error
  }
}

/** The lease of the state at a place. */
export async function stateLease(place: StatePlace, options?: S3StoreOptions): Promise<Cell> {
  const { location, lease } = place
  // A checkpoint on this machine can have a name that no store takes.
  if (!isS3(location)) return fileCell(addressIn(place, lease))
  return storeCell(await openStore(location, options), lease)
}

async function acquire(request: LeaseRequest, hint: string): Promise<Lease> {
  try {
    return await acquireLease(request)
  } catch (error) {
    // A lock that can't be read has a cause, and a hint of its own.
    const isTaken =
      error instanceof PosthaulError && error.code === 'locked' && error.cause === undefined && !request.wait
    throw isTaken ? new PosthaulError(error.message, { code: 'locked', hint, cause: error }) : error
  }
}

/** What an import keeps, and what says where. */
export const STATE = { what: 'the state of the import', setting: 'with --state' }
const LEDGER = {
  what: 'the count of delivered events, which keeps the caps over all imports,',
  setting: 'with --state or XDG_STATE_HOME',
}
