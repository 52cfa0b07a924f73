import type { Clock } from '../http/clock.ts'
import { Backoff } from '../http/retry.ts'
import { Account, type Turn } from './account.ts'
import type { ArrivalWatch } from './arrival-watch.ts'
import type { Batch, Envelope } from './batch.ts'
import type { Post } from './batch-route.ts'
import { Batcher, type BatchLimits } from './batcher.ts'
import { takenFrom } from './checkpoint.ts'
import { IdPacer, MOST_PER_ID } from './distinct-id.ts'
import { Intake } from './intake.ts'
import { Lanes } from './lanes.ts'
import type { LineReader } from './line-reader.ts'
import type { OwnWork } from './own-events.ts'
import { Pacer, youngSince } from './pacer.ts'
import { assertRoom, type Resumed, type ResumeOptions } from './resume.ts'
import type { Sent } from './route.ts'
import { Sender } from './sender.ts'
import type { V1Post } from './v1-route.ts'
import { PLACES } from './v1-rules.ts'

/** What a run of an import is given. */
export interface RunOptions extends ResumeOptions {
  readonly turn: Turn
  readonly reader: LineReader
  readonly envelope: Envelope
  readonly post: Post
  readonly v1: V1Post
  readonly limits: BatchLimits
  readonly caps: {
    readonly perMinute: number
    readonly events: number
    readonly approved: boolean
    /** The cap of a distinct_id. */
    readonly perId?: number
  }
  readonly retryForMs: number
  /** Refused events are rejects, whether or not the service takes others. */
  readonly acceptRefusals: boolean
  /** Ends the run after this many milliseconds. */
  readonly stopAfterMs: number | undefined
  readonly clock: Clock
  readonly random: () => number
  readonly interrupted: AbortSignal
  /** `begin` is called when the run stops. `over` aborts once the drain time has passed. */
  readonly drain: { readonly over: AbortSignal; begin(): void }
  /** The words of the command line that goes on with this import. */
  readonly command: readonly string[]
  /** Called before a lane waits because of the cap of a distinct_id, `caps.perId`. */
  readonly holding?: ((waitMs: number) => void) | undefined
  readonly retrying: (reason: string, waitMs: number, cause: string) => void
  /** Called for each batch of the input that is settled. */
  readonly settled?: ((sent: Pick<Sent, 'batch' | 'refused'>) => void) | undefined
  /** Asks whether what is sent arrives. Undefined if no one can be asked. */
  readonly watch?: ArrivalWatch | undefined
  /** Done before the first event of the input is sent, and not again unless the input has grown. */
  readonly once?: OwnWork | undefined
  /** Done before the first event of the input is sent, in every run. */
  readonly before?: OwnWork | undefined
  /** Done when all of the input is settled, before the checkpoint says so. */
  readonly after?: OwnWork | undefined
}

// How often a run claims events in the ledger, at full speed; a very fast one more often, since a kill leaves a claim.
const CLAIMS_PER_MINUTE = 6
const MOST_AT_ONCE = 50_000

/** Enters an import in its ledger. Throws if the rate cap is too low for the lanes of the runs before it. */
export async function openAccount(
  { turn, caps, clock, note, source }: RunOptions,
  { state, replaced, mostLanes, rules }: Resumed,
  importId: string,
): Promise<Account> {
  const input = source.identity()
  const account = await Account.open(turn.ledger, {
    ...turn,
    importId,
    delivered: state ? takenFrom(state) : 0,
    replaces: replaced && { importId: replaced.id, delivered: takenFrom(replaced) },
    maxEvents: caps.events,
    step: Math.min(MOST_AT_ONCE, Math.ceil(caps.perMinute / CLAIMS_PER_MINUTE)),
    lanes: mostLanes,
    rules: [rules],
    content: input.kind === 'dataset' ? input.content : undefined,
    now: () => new Date(clock.wall()).toISOString(),
    note,
  })
  assertRoom(caps.perMinute, account.mostLanes)
  return account
}

/** Makes what batches of the input go through, in a run that goes on where `resumed` says. */
export function runParts(options: RunOptions, resumed: Resumed, account: Account, halt: AbortSignal) {
  const { lanes: count, caps, clock, random, retryForMs, envelope, turn, reader, source } = options
  const pacer = new Pacer(
    { perMinute: caps.perMinute, lanes: count, mostLanes: account.mostLanes },
    clock.now,
  )
  const ids = new IdPacer(caps.perId ?? MOST_PER_ID, clock.now)
  const events = Math.min(options.limits.events, pacer.burst)
  // What a batch may hold: no more than the pacer grants at once.
  const limits = { ...options.limits, events, ofId: ids.burst }
  const lanes = new Lanes(count, halt)
  const sender = new Sender({
    ...options,
    pacer,
    ids,
    backoff: new Backoff({ retryForMs, clock, random }),
    look: turn.look,
    over: options.drain.over,
    via: resumed.via,
    mayHavePlaces: PLACES.some(({ property }) => source.mayHave(property)),
  })
  const emit = (batch: Batch) => {
    sender.prepare(batch)
    lanes.push(batch)
  }
  const youngFrom = youngSince(clock.wall())
  const batcher = new Batcher({ lanes: count, limits, envelope, youngFrom }, emit, sender)
  const intake = new Intake({ reader, batcher, places: resumed.places, take: () => account.take() })
  return { lanes, sender, batcher, intake, limits }
}
