import type { Clock } from '../http/index.ts'
import { Account } from './account.ts'
import { type CheckpointState, idOf, takenFrom } from './checkpoint.ts'
import type { InputSource } from './event-source.ts'
import type { Ledger } from './ledger.ts'
import { assertRoom, type Resumed } from './resume.ts'
import type { Sharing } from './sharing.ts'

export { assertPeopleApart, type SharedPeople, type Sharing, sharedPeople } from './sharing.ts'

/** What keeps this run apart from all others that send into the same project. */
export interface Turn {
  readonly ledger: Ledger
  /** The checkpoint's address, the same from whatever folder the import is run. */
  readonly checkpoint: string
  /** The number of equal parts of the rate cap; the run draws on one of them, which is `caps.perMinute`. */
  readonly share: number
  /** What others that share the cap are told of its dataset; undefined if it has all of the cap, or is no dataset. */
  readonly sharing?: Sharing | undefined
  /** The user knows that others send events of the same people. */
  readonly anyOrder?: boolean
  /** Begin a new count of events. */
  readonly newMigration: boolean
  /** Throws, with the code `locked`, once another run sends in place of this one. */
  readonly look: () => Promise<void>
  /** Throws once another run has the checkpoint. */
  readonly lookAtState: () => Promise<void>
}

// How often a run claims events in the ledger, at full speed; a very fast one more often, since a kill leaves a claim.
const CLAIMS_PER_MINUTE = 6
const MOST_AT_ONCE = 50_000

interface AccountRequest {
  readonly turn: Turn
  readonly caps: { readonly perMinute: number; readonly events: number }
  readonly clock: Clock
  readonly note: (text: string) => void
  readonly source: InputSource
}

/** Enters an import in its ledger. Throws if the rate cap is too low for the lanes of the runs before it. */
export async function openAccount(
  { turn, caps, clock, note, source }: AccountRequest,
  { state, replaced, deliveredBeforeRestart, mostLanes, rules }: Resumed,
  importId: string,
): Promise<Account> {
  const account = await Account.open(turn.ledger, {
    ...turn,
    importId,
    delivered: state ? takenFrom(state) : 0,
    carried: deliveredBeforeRestart,
    replaces: replaced && {
      importId: idOf(replaced),
      delivered: takenFrom(replaced),
      carried: replaced.delivered_before_restart,
    },
    maxEvents: caps.events,
    step: Math.min(MOST_AT_ONCE, Math.ceil(caps.perMinute / CLAIMS_PER_MINUTE)),
    lanes: mostLanes,
    rules: rules === null ? [] : [rules],
    content: contentIn(source.identity()),
    now: () => new Date(clock.wall()).toISOString(),
    note,
  })
  assertRoom(caps.perMinute, account.mostLanes)
  return account
}

function contentIn(input: CheckpointState['input']): string | undefined {
  return input.kind === 'dataset' ? input.content : undefined
}
