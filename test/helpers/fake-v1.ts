import { gunzipSync } from 'node:zlib'
import type { V1Post } from '../../src/delivery/v1-route.ts'
import type { Reply } from '../../src/http/network-error.ts'
import type { TestEvent } from './events.ts'

export interface V1Event extends TestEvent {
  readonly options: Readonly<Record<string, unknown>>
  readonly session_id?: string
}

/** A request of Capture V1, as it came. */
interface V1Sent {
  readonly events: readonly V1Event[]
  readonly createdAt: string
  readonly id: string
  readonly attempt: number
  readonly bytes: number
}

/** What the fake says of one event: its result, and the details after a colon. */
export type Said = string | undefined

/** Capture V1 in this process: keeps every request, and what it says of each event. */
export class FakeV1 implements V1Post {
  readonly requests: V1Sent[] = []
  /** The events that it took, in order. */
  readonly accepted: V1Event[] = []
  readonly #answer: (request: V1Sent, at: number) => Reply | ((event: V1Event) => Said) | Promise<Reply>

  /** `answer` gives a whole reply, or what it says of each event; ok if left out. */
  constructor(
    answer: (request: V1Sent, at: number) => Reply | ((event: V1Event) => Said) | Promise<Reply> = () => () =>
      'ok',
  ) {
    this.#answer = answer
  }

  async pack(body: Buffer): Promise<Buffer> {
    return Buffer.from(body)
  }

  async send(packed: Buffer, { id, attempt }: { id: string; attempt: number }): Promise<Reply> {
    const text = (packed[0] === 0x1f ? gunzipSync(packed) : packed).toString('utf8')
    const { batch, created_at: createdAt } = JSON.parse(text) as { batch: V1Event[]; created_at: string }
    const request = { events: batch, createdAt, id, attempt, bytes: packed.length }
    this.requests.push(request)
    const answer = await this.#answer(request, this.requests.length - 1)
    if (typeof answer !== 'function') return answer
    const results: Record<string, unknown> = {}
    for (const event of batch) {
      const [result, details] = answer(event)?.split(':') ?? []
      if (result === undefined) continue
      results[event.uuid] = { result, ...(details !== undefined && { details }) }
      if (result === 'ok' || result === 'warning') this.accepted.push(event)
    }
    const body = JSON.stringify({ results })
    return { status: 200, headers: {}, body, bytes: Buffer.from(body) }
  }
}
