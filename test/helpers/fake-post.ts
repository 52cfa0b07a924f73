import type { Post } from '../../src/delivery/batch-route.ts'
import type { Reply } from '../../src/http/network-error.ts'
import type { TestEvent } from './events.ts'

/** A reply that accepts. */
export const OK: Reply = { status: 200, headers: {}, body: '{"status":"Ok"}' }

/** The content of a request. */
export interface Sent {
  readonly events: readonly TestEvent[]
  readonly bytes: number
}

/** A service in this process: keeps every request, and answers as `answer` says. */
export class FakePost implements Post {
  readonly requests: Sent[] = []
  readonly accepted: TestEvent[] = []
  /** The most requests that were ever under way at once. */
  most = 0
  #under = 0
  readonly #answer: (request: Sent, at: number) => Reply | Promise<Reply>

  constructor(answer: (request: Sent, at: number) => Reply | Promise<Reply> = () => OK) {
    this.#answer = answer
  }

  async pack(body: Buffer): Promise<Buffer> {
    return Buffer.from(body)
  }

  async send(packed: Buffer): Promise<Reply> {
    const { batch } = JSON.parse(packed.toString('utf8')) as { batch: TestEvent[] }
    const request = { events: batch, bytes: packed.length }
    this.requests.push(request)
    this.#under++
    this.most = Math.max(this.most, this.#under)
    const reply = await this.#answer(request, this.requests.length - 1)
    this.#under--
    if (reply === OK) this.accepted.push(...batch)
    return reply
  }
}

export const ENVELOPE = {
  prefix: Buffer.from('{"api_key":"phc_test","historical_migration":true,"batch":['),
  suffix: Buffer.from(']}'),
}
