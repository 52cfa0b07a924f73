import type { PosthaulError } from '../errors.ts'
import { type AttemptOptions, Attempts } from './attempts.ts'
import type { Batch, Envelope } from './batch.ts'
import { BatchRoute, type Post } from './batch-route.ts'
import { Refusals, timeUpInDoubt } from './refusals.ts'
import type { Route, Sent, Via } from './route.ts'
import { V1_ENVELOPE } from './v1-request.ts'
import { type V1Post, V1Route } from './v1-route.ts'

interface SenderOptions extends Omit<AttemptOptions, 'refusals'> {
  readonly post: Post
  readonly v1: V1Post
  readonly via: Via
  /** That of `/batch/`. */
  readonly envelope: Envelope
  /** Refused events are rejects, whether or not the service takes others. */
  readonly acceptRefusals: boolean
  /** See `V1RouteOptions`. */
  readonly mayHavePlaces: boolean
}

/** Sends batches until each event is taken or refused. All lanes share it, and so what they learn of the service. */
export class Sender {
  readonly #attempts: Attempts
  readonly #refusals: Refusals
  /** What a batch that is filled goes into. */
  readonly envelope: Envelope
  readonly via: Via
  readonly #route: Route
  /** Events of batches that may have been sent, in part, without an end: the run stopped. */
  inDoubt = 0

  constructor(options: SenderOptions) {
    const { post, v1, via, acceptRefusals } = options
    this.#refusals = new Refusals(acceptRefusals)
    this.#attempts = new Attempts({ ...options, refusals: this.#refusals })
    const shared = { attempts: this.#attempts, refusals: this.#refusals }
    this.via = via
    this.#route =
      via === 'v1'
        ? new V1Route({ ...options, ...shared, post: v1 })
        : new BatchRoute(post, shared.attempts, shared.refusals)
    this.envelope = via === 'v1' && !options.mayHavePlaces ? V1_ENVELOPE : options.envelope
  }

  /** Refusals up to this number are about their events: the service has taken an event that was sent after them. */
  get confirmed(): number {
    return this.#refusals.confirmed
  }

  /** Why a run whose time is up has not stopped as asked: the service did not take the last request. */
  get unsettled(): PosthaulError | undefined {
    const { unsettled } = this.#attempts
    if (unsettled || this.#refusals.inDoubt === 0) return unsettled
    return this.#refusals.paused(timeUpInDoubt(this.#refusals.words))
  }

  /** Begins to pack a batch on the thread pool, while earlier batches are sent. */
  prepare(batch: Batch): void {
    if (batch.events > 0) this.#route.prepare(batch)
  }

  /**
   * Sends a batch. Resolves to undefined if `halt` aborted before the batch was done. The batch is then pending, though
   * some of it may have arrived. Throws if the run has to stop.
   */
  async send(batch: Batch, halt: AbortSignal): Promise<Sent | undefined> {
    if (batch.events === 0) return { batch, refused: [], lastRefusal: 0 }
    const { sends } = this.#attempts
    let sent: Sent | undefined
    try {
      sent = await this.#route.send(batch, halt)
      return sent
    } finally {
      // With several lanes, a request of another one counts for this batch too: rather one too many than one too few.
      if (!sent && this.#attempts.sends > sends) this.inDoubt += batch.events
    }
  }

  /**
   * Settles the refusals that are in doubt when nothing else is left to send: sends the event that was taken last once
   * more, which merges. Throws `paused` if that is refused too, or if nothing was taken in this run.
   */
  async check(halt: AbortSignal): Promise<void> {
    const refusals = this.#refusals
    const last = await this.#route.sendLastTaken(halt)
    if (last === 'none')
      throw refusals.paused(`the service refused ${refusals.words} and took none in this run`)
    if (last !== 'refused') return
    throw refusals.paused(`the service refused ${refusals.words}, and then one that it had taken before`)
  }
}
