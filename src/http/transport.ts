import { Pool } from 'undici'
import { VERSION } from '../version.ts'
import { NetworkError, toNetworkError } from './network-error.ts'
import { type Redactor, redactorOf } from './redact.ts'
import type { Secret } from './secret.ts'
import { flatHeaders, openStream, type StreamedAnswer, type StreamRequest } from './stream.ts'

const USER_AGENT = `posthaul/${VERSION}`
const CONNECT_TIMEOUT_MS = 10_000
// A paced import sends every few seconds; the connection should outlive the gap. A server's own hint wins.
const KEEP_ALIVE_MS = 30_000
const DEFAULT_ANSWER_BYTES = 1024 * 1024

export interface TransportOptions {
  /** scheme://host[:port]; every request goes there and nowhere else. */
  readonly origin: string
  /** What must never leave in an error or an answer's text. */
  readonly secrets: readonly Secret[]
  /** The most connections at once. */
  readonly connections?: number
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The deadline of the whole exchange: connecting, sending and reading the answer to its end. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** What is kept of the answer's body; the rest is not read. 1 MiB unless told otherwise. */
  readonly maxBytes?: number
}

/** An answer of any status, redirects included: they are never followed. */
export interface Answer {
  readonly status: number
  /** Lower-case names; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as it came, up to `maxBytes`. */
  readonly bytes: Buffer
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean
  /** The body as text, secrets redacted. */
  readonly body: string
}

/** One origin's connections. Kept alive, no redirects, one deadline a request, no secret in what it throws. */
export class Transport {
  readonly origin: string
  readonly #pool: Pool
  readonly #redactor: Redactor

  constructor({ origin, secrets, connections = 8 }: TransportOptions) {
    this.origin = origin
    this.#redactor = redactorOf(secrets)
    this.#pool = new Pool(origin, {
      connections,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The deadline below covers these; they only watch one phase each, so a slow drip would outlive them.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Sends one request. Throws NetworkError when there is no whole answer. */
  async request(request: TransportRequest): Promise<Answer> {
    const { timeoutMs, signal, maxBytes = DEFAULT_ANSWER_BYTES } = request
    const abort = new AbortController()
    const onAbort = () => abort.abort(new DOMException('interrupted', 'AbortError'))
    if (signal?.aborted) onAbort()
    // Added and removed by hand: AbortSignal.any keeps every request alive as long as the run's signal.
    signal?.addEventListener('abort', onAbort, { once: true })
    let late = false
    const deadline = setTimeout(() => {
      late = true
      abort.abort(new DOMException(`${timeoutMs} ms have passed`, 'TimeoutError'))
    }, timeoutMs)
    try {
      const answer = await this.#pool.request({
        method: request.method,
        path: request.path,
        headers: { 'user-agent': USER_AGENT, ...request.headers },
        body: request.body ?? null,
        signal: abort.signal,
      })
      const chunks: Buffer[] = []
      let length = 0
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        length += chunk.length
        // Leaving the loop destroys the body, and with it the connection: an endless answer costs no more.
        if (length > maxBytes) break
      }
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      return new ReceivedAnswer(answer.statusCode, answer.headers, whole, maxBytes, this.#redactor)
    } catch (error) {
      if (late) throw new NetworkError('timeout', this.origin, this.#redactor.error(error))
      if (signal?.aborted) throw new NetworkError('aborted', this.origin, this.#redactor.error(error))
      throw toNetworkError(error, this.origin, this.#redactor)
    } finally {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Sends one request whose answer is too large to keep: its body is read as it comes. Throws NetworkError. */
  async stream(request: StreamRequest): Promise<StreamedAnswer> {
    const headers = { 'user-agent': USER_AGENT, ...request.headers }
    const place = { pool: this.#pool, origin: this.origin, redactor: this.#redactor }
    return openStream(place, { ...request, headers })
  }

  /** Takes the registered secrets out of a text. */
  redact(text: string): string {
    return this.#redactor.text(text)
  }

  /** Closes all connections, at once. */
  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

class ReceivedAnswer implements Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly bytes: Buffer
  readonly truncated: boolean
  readonly #redactor: Redactor

  constructor(
    status: number,
    headers: Record<string, string | string[] | undefined>,
    whole: Buffer,
    maxBytes: number,
    redactor: Redactor,
  ) {
    this.status = status
    // An address to be redirected to can have a key in it.
    this.headers = flatHeaders(headers)
    for (const [name, value] of Object.entries(this.headers)) this.headers[name] = redactor.text(value)
    this.truncated = whole.length > maxBytes
    this.bytes = this.truncated ? whole.subarray(0, maxBytes) : whole
    this.#redactor = redactor
  }

  // Decoded on demand: an export reads the bytes alone.
  get body(): string {
    return this.#redactor.text(this.bytes.toString('utf8'))
  }
}
