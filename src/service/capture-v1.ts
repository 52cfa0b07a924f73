import type { Clock, Reply, Secret, Transport } from '../http/index.ts'
import { MIB } from '../text/index.ts'
import { Packer } from './packer.ts'
import { replyOf } from './reply-of.ts'

/** Where its requests go. */
export const V1_PATH = '/i/v1/analytics/events'
const TIMEOUT_MS = 120_000
// The answer has some hundred bytes for each event, of which a request has at most 10,000.
const ANSWER_BYTES = 8 * MIB
// Without a version: the service writes a name with one over the `$lib` of every event.
const SDK = 'posthaul'

/** What tells the service that two requests are one. */
export interface RequestStamp {
  /** The request's own uuid, kept over its resends. */
  readonly id: string
  /** From 1; one more for each resend. */
  readonly attempt: number
}

/** POST /i/v1/analytics/events, the request whose answer has a word for each event. */
export class CaptureV1Endpoint {
  readonly #transport: Transport
  readonly #clock: Pick<Clock, 'wall'>
  readonly #authorization: string
  readonly #packer = new Packer()

  constructor(transport: Transport, projectKey: Secret, clock: Pick<Clock, 'wall'>) {
    this.#transport = transport
    this.#clock = clock
    this.#authorization = `Bearer ${projectKey.reveal()}`
  }

  /** Packs a request body with gzip, on the thread pool. */
  async pack(body: Buffer): Promise<Buffer> {
    return this.#packer.pack(body)
  }

  /** Sends a packed body once. Resolves to a reply, and does not throw, if the network fails or `over` aborts. */
  async send(packed: Buffer, { id, attempt }: RequestStamp, over: AbortSignal): Promise<Reply> {
    return replyOf(
      this.#transport.request({
        method: 'POST',
        path: V1_PATH,
        headers: {
          authorization: this.#authorization,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'posthog-sdk-info': SDK,
          'posthog-attempt': String(attempt),
          'posthog-request-id': id,
          'posthog-request-timestamp': new Date(this.#clock.wall()).toISOString(),
        },
        body: packed,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
        signal: over,
      }),
    )
  }
}
