import type { Reply } from '../http/answer.ts'
import { NetworkError } from '../http/network-error.ts'
import type { Secret } from '../http/secret.ts'
import type { Transport } from '../http/transport.ts'
import { KIB } from '../units.ts'
import { Packer } from './packer.ts'

const PATH = '/batch/'
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

  /** Sends a packed body once. Resolves to a reply, and does not throw, if the network fails. */
  async send(packed: Buffer): Promise<Reply> {
    try {
      const { status, headers, body } = await this.#transport.request({
        method: 'POST',
        path: PATH,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: packed,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
      })
      return { status, headers, body }
    } catch (error) {
      if (error instanceof NetworkError) return { network: error.kind, message: error.message }
      throw error
    }
  }
}
