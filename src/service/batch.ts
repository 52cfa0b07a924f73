import type { Reply, Secret, Transport } from '../http/index.ts'
import { KIB } from '../text/index.ts'
import { Packer } from './packer.ts'
import { replyOf } from './reply-of.ts'

/** Where its requests go. */
export const BATCH_PATH = '/batch/'
const TIMEOUT_MS = 120_000
const ANSWER_BYTES = 64 * KIB

/** POST /batch/, the request that sends events. The event lines are sent as they are, never encoded again. */
export class BatchEndpoint {
  /** The bytes of a request before and after its event lines. */
  readonly envelope: { readonly prefix: Buffer; readonly suffix: Buffer }
  readonly #transport: Transport
  readonly #packer = new Packer()

  constructor(transport: Transport, projectKey: Secret) {
    this.#transport = transport
    const key = JSON.stringify(projectKey.reveal())
    // Without sent_at: the service would shift every timestamp by it.
    this.envelope = {
      prefix: Buffer.from(`{"api_key":${key},"historical_migration":true,"batch":[`),
      suffix: Buffer.from(']}'),
    }
  }

  /** Packs a request body with gzip, on the thread pool. */
  async pack(body: Buffer): Promise<Buffer> {
    return this.#packer.pack(body)
  }

  /** Sends a packed body once. Resolves to a reply, and does not throw, if the network fails or `over` aborts. */
  async send(packed: Buffer, over: AbortSignal): Promise<Reply> {
    return replyOf(
      this.#transport.request({
        method: 'POST',
        path: BATCH_PATH,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: packed,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
        signal: over,
      }),
    )
  }
}
