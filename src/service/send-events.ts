import { constants, createGzip, type Gzip } from 'node:zlib'
import pLimit from 'p-limit'
import type { Clock } from '../http/clock.ts'
import { NetworkError, type Reply } from '../http/network-error.ts'
import type { Secret } from '../http/secret.ts'
import type { Answer, Transport } from '../http/transport.ts'
import { objectIn } from '../text/json.ts'
import { GZIP, KIB, MIB } from '../text/units.ts'

const OPTIONS = { ...GZIP, chunkSize: 256 * KIB }
// libuv has this many threads. More compressors would only hold memory while they wait.
const AT_ONCE = 4

/** `reset` works for gzip too, but its types have it only for deflate. */
export type Compressor = Gzip & { reset(): void }

/**
 * Packs request bodies with gzip, on the thread pool. Its compressors are reused: a new one for each body takes half a
 * megabyte, and collecting that memory took a twentieth of an import's time.
 */
export class Packer {
  readonly #limit = pLimit(AT_ONCE)
  readonly #idle: Compressor[] = []
  readonly #create: () => Compressor

  /** Tests pass compressors that fail. */
  constructor(create = () => createGzip(OPTIONS) as Compressor) {
    this.#create = create
  }

  /** The body as one gzip member. */
  pack(body: Buffer): Promise<Buffer> {
    return this.#limit(async () => {
      const gzip = this.#idle.pop() ?? this.#create()
      // A compressor that fails does not come back to `#idle`.
      const packed = await member(gzip, body)
      this.#idle.push(gzip)
      return packed
    })
  }
}

function member(gzip: Compressor, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const take = (chunk: Buffer) => void chunks.push(chunk)
    gzip.on('data', take).once('error', reject)
    gzip.write(body)
    // If the compressor fails, this is called too, with the error. The compressor is destroyed then: no reset.
    gzip.flush(constants.Z_FINISH, (error?: Error | null) => {
      if (error) return reject(error)
      gzip.off('data', take).off('error', reject)
      gzip.reset()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
  })
}

/** The answer to a request as a reply; that of the network, where it fails. Any other error is thrown. */
async function replyOf(request: Promise<Answer>): Promise<Reply> {
  try {
    const answer = await request
    const { status, headers, bytes, truncated, redact } = answer
    return {
      status,
      headers,
      redact,
      // The text is made only when it is read: mostly the bytes tell enough.
      get body() {
        // The mark keeps the beginning of a long answer from being taken for a whole one: it is no JSON any more.
        return truncated ? `${answer.body}…` : answer.body
      },
      ...(!truncated && { bytes }),
    }
  } catch (error) {
    if (error instanceof NetworkError) return { network: error.kind, message: error.message }
    throw error
  }
}

export const BATCH_PATH = '/batch/'
const TIMEOUT_MS = 120_000
const ANSWER_BYTES = 64 * KIB

/** A route that events take. */
class EventEndpoint {
  readonly #transport: Transport
  readonly #packer = new Packer()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Packs a request body with gzip, on the thread pool. */
  async pack(body: Buffer): Promise<Buffer> {
    return this.#packer.pack(body)
  }

  /** Sends a packed body once. Resolves to a reply, and does not throw, if the network fails or `over` aborts. */
  protected async post(
    packed: Buffer,
    request: Pick<Parameters<Transport['request']>[0], 'path' | 'headers' | 'maxBytes'>,
    over: AbortSignal,
  ): Promise<Reply> {
    const headers = {
      ...request.headers,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    }
    const how = { method: 'POST', body: packed, timeoutMs: TIMEOUT_MS, signal: over } as const
    return replyOf(this.#transport.request({ ...request, headers, ...how }))
  }
}

/** POST /batch/, the request that sends events. The event lines are sent as they are, never encoded again. */
export class BatchEndpoint extends EventEndpoint {
  /** The bytes of a request before and after its event lines. */
  readonly envelope: { readonly prefix: Buffer; readonly suffix: Buffer }

  constructor(transport: Transport, projectKey: Secret) {
    super(transport)
    const key = JSON.stringify(projectKey.reveal())
    // Without sent_at: the service would shift every timestamp by it.
    this.envelope = {
      prefix: Buffer.from(`{"api_key":${key},"historical_migration":true,"batch":[`),
      suffix: Buffer.from(']}'),
    }
  }

  async send(packed: Buffer, over: AbortSignal): Promise<Reply> {
    return this.post(packed, { path: BATCH_PATH, maxBytes: ANSWER_BYTES }, over)
  }
}

export const V1_PATH = '/i/v1/analytics/events'
// The answer has some hundred bytes for each event, of which a request has at most 10,000.
const V1_ANSWER_BYTES = 8 * MIB
// Without a version: the service writes a name with one over the `$lib` of every event.
const SDK = 'posthaul'

/** What tells the service that two requests are one. */
interface RequestStamp {
  /** The request's own uuid, kept over its resends. */
  readonly id: string
  /** From 1; one more for each resend. */
  readonly attempt: number
}

/** POST /i/v1/analytics/events, the request whose answer has a word for each event. */
export class CaptureV1Endpoint extends EventEndpoint {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #authorization: string

  constructor(transport: Transport, projectKey: Secret, clock: Pick<Clock, 'wall'>) {
    super(transport)
    this.#clock = clock
    this.#authorization = `Bearer ${projectKey.reveal()}`
  }

  async send(packed: Buffer, { id, attempt }: RequestStamp, over: AbortSignal): Promise<Reply> {
    const headers = {
      authorization: this.#authorization,
      'posthog-sdk-info': SDK,
      'posthog-attempt': String(attempt),
      'posthog-request-id': id,
      'posthog-request-timestamp': new Date(this.#clock.wall()).toISOString(),
    }
    return this.post(packed, { path: V1_PATH, headers, maxBytes: V1_ANSWER_BYTES }, over)
  }
}

const KEY_TIMEOUT_MS = 10_000

/**
 * Tries a project key where the service refuses one that it does not know, with 401: the routes for events answer Ok to
 * any key. No flag is asked for, so nothing is counted as a request for flags. Resolves to the status, or why it tells nothing.
 */
export async function tryProjectKey(
  transport: Transport,
  key: Secret,
  over: AbortSignal,
): Promise<number | string> {
  const body = { api_key: key.reveal(), distinct_id: 'posthaul', disable_flags: true }
  const reply = await replyOf(
    transport.request({
      method: 'POST',
      path: '/flags/?v=2',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: KEY_TIMEOUT_MS,
      maxBytes: 64 * KIB,
      signal: over,
    }),
  )
  if ('network' in reply) return reply.message
  const { status, body: answer } = reply
  // A page of a network's login answers 200 too.
  return status === 200 && !objectIn(answer) ? '/flags/ answered 200, but not as the service does' : status
}
