import type { Clock } from '../http/clock.ts'
import type { Reply } from '../http/network-error.ts'
import { countOne } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import type { Attempts } from './attempts.ts'
import { type Batch, newBuffers } from './batch.ts'
import { misfit, pausedOverKind, Refusals, tooLargeForProxy, unconfirmed } from './refusals.ts'
import { MERGING_EVENTS, noRemarks, type Remarks, type Route, type Sent } from './route.ts'
import { type V1Request, V1Requests } from './v1-request.ts'
import {
  type Answered,
  judgeEvent,
  judgeV1,
  PERSONLESS,
  rejectReason,
  type Split,
  type V1Verdict,
} from './verdict.ts'

/** Sends one request of Capture V1. Resolves to a reply, and never throws, when the network fails. */
export interface V1Post {
  /** Packs a request body with gzip. */
  pack(body: Buffer): Promise<Buffer>
  /** `id` is the request's own, kept over its resends; `attempt` counts them from 1. `over` as in `Post`. */
  send(
    packed: Buffer,
    stamp: { readonly id: string; readonly attempt: number },
    over: AbortSignal,
  ): Promise<Reply>
}

export interface V1RouteOptions {
  readonly post: V1Post
  readonly attempts: Attempts
  readonly refusals: Refusals
  readonly clock: Pick<Clock, 'wall'>
  readonly acceptRefusals: boolean
  /** False if it is known that no event of the input has a property that V1 has a place for. */
  readonly mayHavePlaces: boolean
}

interface Sending {
  readonly batch: Batch
  readonly refused: Reject[]
  lastRefusal: number
  readonly remarks: Remarks
  readonly refusals: Refusals
}

/** The usual answer: every event is stored. Parsing it takes longer than all else, so its bytes are compared. */
const STORED = { kind: 'stored' } as const

type Told = Extract<V1Verdict, { kind: 'told' | 'split' | 'misfit' }> | typeof STORED

/** What the service says of the events of a request, by their index in the batch. */
interface Fates {
  readonly again: number[]
  readonly refused: { readonly index: number; readonly word: string }[]
  /** The last event that it took; -1 if it took none. */
  taken: number
}

/**
 * Sends batches by Capture V1, which says of each event what became of it. So nothing is halved to find a bad event, and of
 * a request that was stored in part only the rest is sent again.
 */
export class V1Route implements Route {
  readonly #options: V1RouteOptions
  readonly #requests: V1Requests
  /** First requests of batches that are not sent yet. */
  readonly #prepared = new WeakMap<Batch, Promise<V1Request>>()
  /** A batch of the one event that was taken last, in memory of its own. */
  #lastTaken: Batch | undefined
  readonly #lastBuffers = newBuffers()

  constructor(options: V1RouteOptions) {
    const { post, clock, mayHavePlaces } = options
    this.#options = options
    this.#requests = new V1Requests(
      (body) => post.pack(body),
      () => clock.wall(),
      mayHavePlaces,
    )
  }

  prepare(batch: Batch): void {
    const request = this.#requests.make(batch, allOf(batch))
    // If the run stops first, no one awaits this promise, and its failure must not end the process.
    request.catch(() => undefined)
    this.#prepared.set(batch, request)
  }

  async send(batch: Batch, halt: AbortSignal): Promise<Sent | undefined> {
    const sending = this.#begin(batch, this.#options.refusals)
    const first = this.#prepared.get(batch) ?? this.#requests.make(batch, allOf(batch))
    this.#prepared.delete(batch)
    return (await this.#sendAll(sending, await first, halt)) ? sending : undefined
  }

  async sendLastTaken(halt: AbortSignal): Promise<'taken' | 'refused' | 'none' | undefined> {
    const last = this.#lastTaken
    if (!last) return 'none'
    const { refusals } = this.#options
    const refusedBefore = refusals.count
    // A refusal of this event is no further one in a row: it is the answer to a question.
    const sending = this.#begin(last, new Refusals(true))
    if (!(await this.#sendAll(sending, await this.#requests.make(last, [0]), halt))) return undefined
    if (sending.refused.length > 0) return 'refused'
    refusals.confirm(refusedBefore)
    return 'taken'
  }

  #begin(batch: Batch, refusals: Refusals): Sending {
    return { batch, refused: [], lastRefusal: 0, remarks: noRemarks(), refusals }
  }

  /** Sends a request, then the rest of its batch. False if `halt` aborts first. */
  async #sendAll(sending: Sending, first: V1Request, halt: AbortSignal): Promise<boolean> {
    const { batch } = sending
    for (let request = first; ; request = await this.#requests.make(batch, request.left)) {
      for (const { index, refusal } of request.refused) {
        sending.refused.push(batch.rejectOf(index, refusal.reason, refusal.message))
      }
      if (request.events.length > 0 && !(await this.#sendOne(sending, request, halt))) return false
      if (request.left.length === 0) return true
    }
  }

  /** Sends a request, and again what was not stored of it. False if `halt` aborts first. */
  async #sendOne(sending: Sending, request: V1Request, halt: AbortSignal): Promise<boolean> {
    const { post, attempts } = this.#options
    const { batch } = sending
    let attempt = 0
    for (let current = request; ; ) {
      const { packed, events, id, stored } = current
      const settled = await attempts.settle<Told>(
        {
          events: events.length,
          ids: events.length === batch.events ? batch.ids : batch.idsOf(events),
          send: (over) => post.send(packed, { id, attempt: ++attempt }, over),
          judge: (reply, now) => (isAnswer(reply, stored) ? STORED : judgeV1(reply, now)),
        },
        halt,
      )
      if (!settled) return false
      const { verdict, startedAt, refusedBefore } = settled
      if (verdict.kind === 'misfit') throw misfit(verdict.reason)
      if (verdict.kind === 'split') {
        attempts.answered()
        return this.#split(sending, current, verdict, halt)
      }
      if (verdict.kind === 'stored') {
        attempts.proven = true
        this.#refuse(sending, { again: [], refused: [], taken: events.at(-1)! }, refusedBefore)
        attempts.answered()
        return true
      }
      const { waitMs } = verdict
      assertKnown(
        events.map((index) => resultOf(verdict.results, batch, index)),
        verdict.redact,
      )
      attempts.proven = true
      const fates = this.#fatesOf(sending, events, verdict)
      this.#refuse(sending, fates, refusedBefore)
      const { again } = fates
      if (again.length === 0) {
        attempts.answered()
        return true
      }
      const reason = `200, but ${again.length} of ${events.length} events were not stored`
      attempts.retry({ kind: 'retry', reason, ...(waitMs !== undefined && { waitMs }) }, startedAt)
      current = await this.#requests.make(batch, again, request)
    }
  }

  /** Sends halves of a request of which some event is bad, or which is too large. */
  async #split(
    sending: Sending,
    { events, packed }: V1Request,
    { reason, notOurService }: Split,
    halt: AbortSignal,
  ): Promise<boolean> {
    const { batch } = sending
    const [only] = events
    if (events.length === 1) {
      if (notOurService) throw tooLargeForProxy(reason, packed.length, batch.sourceOf(only!))
      sending.lastRefusal = sending.refusals.add(reason)
      sending.refused.push(batch.rejectOf(only!, 'refused_by_service', reason))
      return true
    }
    const middle = events.length >>> 1
    for (const half of [events.slice(0, middle), events.slice(middle)]) {
      if (!(await this.#sendAll(sending, await this.#requests.make(batch, half), halt))) return false
    }
    return true
  }

  /** Reads what became of each event. Throws if the run has to stop because of one. */
  #fatesOf(
    { batch, remarks }: Sending,
    events: readonly number[],
    { results, redact }: Extract<V1Verdict, { kind: 'told' }>,
  ): Fates {
    const fates: Fates = { again: [], refused: [], taken: -1 }
    for (const index of events) {
      const { fate, word } = judgeEvent(resultOf(results, batch, index), redact)
      if (fate === 'taken') {
        fates.taken = index
        if (word !== '') remark(remarks, word, batch, index)
      } else if (fate === 'again') fates.again.push(index)
      else if (fate === 'unknown') remarks.unknown++
      else if (fate === 'misfit') throw misfit(word)
      else if (fate === 'later' && !this.#options.acceptRefusals)
        throw pausedOverKind(nameOf(batch, index), word)
      else fates.refused.push({ index, word })
    }
    return fates
  }

  /** Notes the refused events. They are in doubt if the answer says that all the others were refused too. */
  #refuse(sending: Sending, { refused, taken }: Fates, refusedBefore: number): void {
    const { batch, refusals } = sending
    for (const { index, word } of refused) {
      if (taken < 0) sending.lastRefusal = refusals.add(word)
      sending.refused.push(batch.rejectOf(index, rejectReason(word), `the service dropped it: ${word}`))
    }
    if (taken < 0) return
    refusals.confirm(refusedBefore)
    if (batch !== this.#lastTaken) this.#lastTaken = batch.only(taken, this.#lastBuffers)
  }
}

function isAnswer(reply: Reply, expected: Buffer): boolean {
  return 'status' in reply && reply.status === 200 && reply.bytes?.equals(expected) === true
}

/** What an answer says of an event: it has canonical uuids. */
function resultOf(results: Readonly<Record<string, unknown>>, batch: Batch, index: number): unknown {
  const uuid = batch.uuidOf(index)
  return results[uuid] ?? results[uuid.toLowerCase()]
}

/** Throws if an answer says nothing known of any event: whatever gave it may have stored none. */
function assertKnown(entries: readonly unknown[], redact: Answered['redact']): void {
  const verdicts = entries.map((entry) => judgeEvent(entry, redact))
  if (verdicts.some(({ fate }) => fate !== 'unknown')) return
  const isNamed = entries.some((entry) => entry !== undefined)
  throw unconfirmed(isNamed ? (verdicts.find(({ word }) => word !== '')?.word ?? '') : undefined)
}

function remark({ warnings, unmerged }: Remarks, word: string, batch: Batch, index: number): void {
  countOne(warnings, word)
  if (word !== PERSONLESS) return
  const name = nameOf(batch, index)
  if (MERGING_EVENTS.includes(name)) countOne(unmerged, name)
}

function nameOf(batch: Batch, index: number): string {
  return (JSON.parse(batch.textOf(index)) as { event: string }).event
}

function allOf(batch: Batch): readonly number[] {
  return Array.from({ length: batch.events }, (_, index) => index)
}
