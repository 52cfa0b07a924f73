import { PosthaulError } from '../errors.ts'
import type { Reply } from '../http/answer.ts'
import type { Backoff } from '../http/backoff.ts'
import type { Clock } from '../http/clock.ts'
import type { Reject } from '../record/reject.ts'
import type { Batch } from './batch.ts'
import type { Pacer } from './pacer.ts'
import { judge } from './verdict.ts'

/** Sends one request to the service. Resolves to a reply, and never throws, when the network fails. */
export interface Post {
  /** Packs a request body with gzip. */
  pack(body: Buffer): Promise<Buffer>
  send(packed: Buffer): Promise<Reply>
}

export interface SenderOptions {
  readonly post: Post
  readonly pacer: Pacer
  readonly backoff: Backoff
  readonly clock: Clock
  /** True if an earlier run has delivered something: then a refusal is the fault of the events, not of the key. */
  readonly hasDelivered: boolean
  /** Called before each retry. */
  readonly retrying: (reason: string, waitMs: number) => void
}

// After this many events are refused one by one and none is taken, the events are not at fault.
const SUSPICIOUS = 100

/** Sends batches until each event is taken or refused. All lanes share it, and so what they learn of the service. */
export class Sender {
  readonly #options: SenderOptions
  /** The service has taken something in this run, so the address and the key are right. */
  #proven = false
  #refusals = 0
  #outage: string | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** How the last request failed; undefined once the service has answered again. */
  get outage(): string | undefined {
    return this.#outage
  }

  /**
   * Sends a batch. Resolves to the events that the service refused, or to undefined if `halt` aborted before the batch
   * was done. The batch is then pending, though some of it may have arrived. Throws if the run has to stop.
   */
  async send(batch: Batch, halt: AbortSignal): Promise<Reject[] | undefined> {
    const refused: Reject[] = []
    if (batch.events === 0) return refused
    const packed = await batch.packed((body) => this.#options.post.pack(body))
    const whole = await this.#sendRange(batch, 0, batch.events, packed, refused, halt)
    return whole ? refused : undefined
  }

  async #sendRange(
    batch: Batch,
    first: number,
    last: number,
    packed: Buffer,
    refused: Reject[],
    halt: AbortSignal,
  ): Promise<boolean> {
    const { post, backoff, clock } = this.#options
    while (await this.#mayStart(last - first, halt)) {
      const startedAt = clock.now()
      const verdict = judge(await post.send(packed), clock.wall())
      switch (verdict.kind) {
        case 'accepted':
          this.#proven = true
          this.#answered()
          return true
        case 'split': {
          this.#answered()
          if (last - first === 1) {
            this.#refuse(verdict.reason)
            refused.push(batch.rejectOf(first, 'refused_by_service', verdict.reason))
            return true
          }
          const middle = (first + last) >>> 1
          for (const [from, to] of [
            [first, middle],
            [middle, last],
          ] as const) {
            const half = await post.pack(batch.body(from, to))
            if (!(await this.#sendRange(batch, from, to, half, refused, halt))) return false
          }
          return true
        }
        case 'retry': {
          if (verdict.notOurService && !this.#proven) throw notOurService(verdict.reason)
          const wait = backoff.fail(startedAt, verdict.waitMs)
          if (wait === undefined) throw spent(verdict.reason)
          this.#outage = verdict.reason
          this.#options.retrying(verdict.reason, wait)
          break
        }
        case 'pause':
          throw paused(verdict.reason)
        case 'fatal':
          throw fatal(verdict.reason)
      }
    }
    return false
  }

  /** Waits for the end of the shared pause, then for the rate cap. False if `halt` aborts first. */
  async #mayStart(events: number, halt: AbortSignal): Promise<boolean> {
    const { backoff, pacer, clock } = this.#options
    while (!halt.aborted) {
      const wait = backoff.remaining || pacer.take(events)
      if (wait === 0) return true
      await clock.sleep(wait, halt)
    }
    return false
  }

  /** The service answered, so the failures before are over. */
  #answered(): void {
    this.#options.backoff.reset()
    this.#outage = undefined
  }

  #refuse(reason: string): void {
    this.#refusals++
    if (this.#proven || this.#options.hasDelivered || this.#refusals < SUSPICIOUS) return
    throw new PosthaulError(
      `the service has refused each of the first ${SUSPICIOUS} events and taken none: ${reason}`,
      { code: 'paused', hint: 'check the project, the key and a few of the events before going on' },
    )
  }
}

function notOurService(reason: string): PosthaulError {
  return new PosthaulError(`the service was not reached: ${reason}`, {
    code: 'unavailable',
    hint: 'check the address (--region, --ingest-host), and whether a proxy (HTTPS_PROXY) or a login page is in between',
  })
}

function spent(reason: string): PosthaulError {
  return new PosthaulError(`the service did not take the events in the time given for retries: ${reason}`, {
    code: 'unavailable',
    hint: 'what was taken is saved; run the same command again later',
  })
}

/** The run's time is up in a run of failures: that is not the stop that was asked for. */
export function timeUpInOutage(reason: string): PosthaulError {
  return new PosthaulError(
    `the time given by --stop-after is up, and the service did not take the last request: ${reason}`,
    {
      code: 'unavailable',
      hint: 'what was taken is saved; run the same command again later',
    },
  )
}

function paused(reason: string): PosthaulError {
  return new PosthaulError(`the service takes no more events for now: ${reason}`, {
    code: 'paused',
    hint: 'what was taken is saved; raise the limit in the billing settings or wait, then run the same command again',
  })
}

function fatal(reason: string): PosthaulError {
  return new PosthaulError(`the service refuses this key: ${reason}`, {
    code: 'auth',
    hint: 'check POSTHOG_PROJECT_API_KEY and the region it belongs to; what was taken is saved',
  })
}
