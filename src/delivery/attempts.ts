import type { PosthaulError } from '../errors.ts'
import { type Clock, untilAborted } from '../http/clock.ts'
import { causeOf, type Reply } from '../http/network-error.ts'
import type { Backoff } from '../http/retry.ts'
import type { IdCounts, IdPacer } from './distinct-id.ts'
import type { Pacer } from './pacer.ts'
import { fatal, notOurService, paused, type Refusals, spent, timeUpInOutage } from './refusals.ts'
import type { Retry, Stop } from './verdict.ts'

export interface AttemptOptions {
  readonly pacer: Pacer
  /** Undefined if no cap is kept for distinct_ids. */
  readonly ids?: IdPacer | undefined
  readonly backoff: Backoff
  readonly refusals: Pick<Refusals, 'count'>
  readonly clock: Clock
  /** Aborts when a run that stops waits no longer for the requests under way. */
  readonly over: AbortSignal
  /** Looks before each request whether it is still this run's turn. Throws if it is not. */
  readonly look: () => Promise<void>
  /** Called before a lane waits for the tokens of a distinct_id. */
  readonly holding?: ((waitMs: number) => void) | undefined
  /** Called before each retry. */
  readonly retrying: (reason: string, waitMs: number, cause: string) => void
}

/** What a request is judged: its kind, and what goes with it. */
interface Judged {
  readonly kind: string
}

/** One request, as often as it has to be sent. */
export interface Request<Told extends Judged> {
  readonly events: number
  readonly ids: IdCounts
  /** Sends it once. Resolves to a reply, and never throws, if the network fails. */
  send(over: AbortSignal): Promise<Reply>
  judge(reply: Reply, now: number): Told | Retry | Stop
}

interface Settled<Told> {
  readonly verdict: Told
  readonly startedAt: number
  readonly refusedBefore: number
}

/** Sends requests until the service has judged them. All lanes and routes share it, and so what is learnt of the service. */
export class Attempts {
  /** The service has taken something in this run, so the address and the key are right. */
  proven = false
  /** Requests that may have brought events, again too. */
  sends = 0
  readonly #options: AttemptOptions
  #outage: string | undefined

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  /** Why a run whose time is up has not stopped as asked: the service did not take the last request. */
  get unsettled(): PosthaulError | undefined {
    return this.#outage === undefined ? undefined : timeUpInOutage(this.#outage)
  }

  /**
   * Sends a request until it is judged. Resolves to undefined if `halt` aborts first; throws if the run has to stop.
   * `startedAt`: when the judged send began, by the clock's `now`. `refusedBefore`: how many refusals there were then. What
   * another lane learns while the request is under way is not confirmed by it.
   */
  async settle<Told extends Judged>(
    request: Request<Told>,
    halt: AbortSignal,
  ): Promise<Settled<Told> | undefined> {
    const { clock, over, refusals } = this.#options
    while (await this.#mayStart(request, halt)) {
      const startedAt = clock.now()
      const refusedBefore = refusals.count
      // The lock can be in a bucket that hangs. Without a look nothing is sent.
      await untilAborted(this.#options.look(), over)
      const reply: Reply = over.aborted ? GIVEN_UP : await request.send(over)
      if (reply !== GIVEN_UP && mayHaveArrived(reply)) this.sends++
      if ('network' in reply && reply.network === 'aborted') {
        this.#outage = 'no answer before the run had to end'
        return undefined
      }
      const verdict = request.judge(reply, clock.wall())
      if (isRetry(verdict)) this.retry(verdict, startedAt, causeOf(reply))
      else if (isStop(verdict))
        throw verdict.kind === 'pause' ? paused(verdict.reason) : fatal(verdict.reason)
      else return { verdict, startedAt, refusedBefore }
    }
    return undefined
  }

  /**
   * Sets the wait before the next send, as all lanes keep it. Throws if there is none. `cause`: the status of the answer, or
   * how the network failed.
   */
  retry(
    { reason, waitMs, notOurService: isForeign, noRoute }: Retry,
    startedAt: number,
    cause = '200',
  ): void {
    if (isForeign && !this.proven) throw notOurService(reason, noRoute)
    const wait = this.#options.backoff.fail(startedAt, waitMs)
    if (wait === undefined) throw spent(reason, noRoute === true && !this.proven)
    this.#outage = reason
    this.#options.retrying(reason, wait, cause)
  }

  /** The service answered, so the failures before are over. */
  answered(): void {
    this.#options.backoff.reset()
    this.#outage = undefined
  }

  /** Waits for the end of the shared pause, for its distinct_ids, then for the rate cap. False if `halt` aborts first. */
  async #mayStart(
    { events, ids }: Pick<Request<Judged>, 'events' | 'ids'>,
    halt: AbortSignal,
  ): Promise<boolean> {
    const { backoff, pacer, ids: idPacer, clock, holding } = this.#options
    while (!halt.aborted) {
      const held = backoff.remaining === 0 ? (idPacer?.wait(ids) ?? 0) : 0
      if (held > 0) holding?.(held)
      const wait = backoff.remaining || held || pacer.take(events)
      if (wait === 0) {
        idPacer?.take(ids)
        return true
      }
      await clock.sleep(wait, halt)
    }
    return false
  }
}

const GIVEN_UP: Reply = { network: 'aborted', message: 'interrupted' }

/** False where no server was reached, or one that knows no such key. */
function mayHaveArrived(reply: Reply): boolean {
  return 'network' in reply ? reply.network !== 'dns' && reply.network !== 'refused' : reply.status !== 401
}

function isRetry(verdict: Judged): verdict is Retry {
  return verdict.kind === 'retry'
}

function isStop(verdict: Judged): verdict is Stop {
  return verdict.kind === 'pause' || verdict.kind === 'fatal'
}
