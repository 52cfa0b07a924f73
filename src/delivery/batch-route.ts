import type { Reply } from '../http/network-error.ts'
import type { Reject } from '../record/reject.ts'
import type { Attempts } from './attempts.ts'
import type { Batch } from './batch.ts'
import type { IdCounts } from './distinct-id.ts'
import { type Refusals, tooLargeForProxy } from './refusals.ts'
import type { Route, Sent } from './route.ts'
import { judge, type Verdict } from './verdict.ts'

/** Sends one request to the service. Resolves to a reply, and never throws, when the network fails. */
export interface Post {
  /** Packs a request body with gzip. */
  pack(body: Buffer): Promise<Buffer>
  /** Gives up when `over` aborts: a reply of the network, `aborted`. The service may have taken the events. */
  send(packed: Buffer, over: AbortSignal): Promise<Reply>
}

interface Sending {
  readonly batch: Batch
  readonly halt: AbortSignal
  readonly refused: Reject[]
  lastRefusal: number
}

/** What the service says of the events of a request. */
type Judged = Extract<Verdict, { kind: 'accepted' | 'split' }>

/** Sends batches by POST /batch/, whose answer is for the whole request: it is halved until a bad event is alone. */
export class BatchRoute implements Route {
  readonly #post: Post
  readonly #attempts: Attempts
  readonly #refusals: Refusals
  /** A request with the one event that was taken last, and its distinct_id. */
  #lastTaken: { readonly body: Buffer; readonly ids: IdCounts } | undefined

  constructor(post: Post, attempts: Attempts, refusals: Refusals) {
    this.#post = post
    this.#attempts = attempts
    this.#refusals = refusals
  }

  prepare(batch: Batch): void {
    void batch.packed((body) => this.#post.pack(body))
  }

  async send(batch: Batch, halt: AbortSignal): Promise<Sent | undefined> {
    const sending = { batch, halt, refused: [], lastRefusal: 0 }
    const packed = await batch.packed((body) => this.#post.pack(body))
    return (await this.#sendRange(sending, 0, batch.events, packed)) ? sending : undefined
  }

  async sendLastTaken(halt: AbortSignal): Promise<'taken' | 'refused' | 'none' | undefined> {
    if (!this.#lastTaken) return 'none'
    const { body, ids } = this.#lastTaken
    const judged = await this.#judged(await this.#post.pack(body), 1, ids, halt)
    return judged && (judged.kind === 'split' ? 'refused' : 'taken')
  }

  /** Sends events [first, last) of a batch, and parts of them where they are refused. False if its `halt` aborts first. */
  async #sendRange(sending: Sending, first: number, last: number, packed: Buffer): Promise<boolean> {
    const { batch, halt } = sending
    const judged = await this.#judged(packed, last - first, idsOf(batch, first, last), halt)
    if (!judged) return false
    if (judged.kind === 'accepted') {
      // A copy: the batch's memory goes to another batch.
      this.#lastTaken = { body: Buffer.from(batch.body(last - 1, last)), ids: batch.idsOf([last - 1]) }
      return true
    }
    if (last - first === 1) {
      if (judged.notOurService) throw tooLargeForProxy(judged.reason, packed.length, batch.sourceOf(first))
      sending.lastRefusal = this.#refusals.add(judged.reason)
      sending.refused.push(batch.rejectOf(first, 'refused_by_service', judged.reason))
      return true
    }
    const middle = (first + last) >>> 1
    for (const [from, to] of [
      [first, middle],
      [middle, last],
    ] as const) {
      const half = await this.#post.pack(batch.body(from, to))
      if (!(await this.#sendRange(sending, from, to, half))) return false
    }
    return true
  }

  /** Sends a request until the service has judged its events. Undefined if `halt` aborts first. */
  async #judged(
    packed: Buffer,
    events: number,
    ids: IdCounts,
    halt: AbortSignal,
  ): Promise<Judged | undefined> {
    const refusals = this.#refusals
    const settled = await this.#attempts.settle<Judged>(
      { events, ids, send: (over) => this.#post.send(packed, over), judge },
      halt,
    )
    if (!settled) return undefined
    const { verdict, refusedBefore } = settled
    this.#attempts.answered()
    if (verdict.kind === 'accepted') {
      this.#attempts.proven = true
      refusals.confirm(refusedBefore)
    }
    return verdict
  }
}

function idsOf(batch: Batch, first: number, last: number): IdCounts {
  if (last - first === batch.events) return batch.ids
  return batch.idsOf(Array.from({ length: last - first }, (_, n) => first + n))
}
