import { Pool } from 'undici'
import { LONGEST_TIMER_MS, MIB } from '../text/units.ts'
import { VERSION } from '../version.ts'
import { deadline } from './clock.ts'
import { beginningOf, flatHeaders, type NetworkError, networkError } from './network-error.ts'
import { proxyOf, Tunnel } from './proxy.ts'
import { type Redactor, redactorOf } from './redact.ts'
import { watched } from './request-watch.ts'
import type { Secret } from './secret.ts'

const USER_AGENT = `posthaul/${VERSION}`
const CONNECT_TIMEOUT_MS = 10_000
// A paced import sends every few seconds, and the connection should stay open between. A server's own hint wins.
const KEEP_ALIVE_MS = 30_000
const DEFAULT_ANSWER_BYTES = MIB

interface TransportOptions {
  /** scheme://host[:port]; every request goes there and nowhere else. */
  readonly origin: string
  /** Texts that must never be shown. */
  readonly secrets: readonly Secret[]
  /** The most connections at once. */
  readonly connections?: number
}

export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The deadline of the whole exchange: connecting, sending and reading the answer to its end. */
  readonly timeoutMs: number
  /** The longest silence of the server before the answer and within it; if left out, only the deadline counts. */
  readonly quietMs?: number
  readonly signal?: AbortSignal
}

interface Head {
  readonly status: number
  /** As they came. Lower-case names; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Takes the secrets out of a text of the answer before it is shown. What is read of it is read as it came. */
  redact(text: string): string
}

/** An answer of any status, whose body is a stream. Read `body` or `text()` once: until then it holds a connection. */
export interface StreamedAnswer extends Head {
  /** Throws NetworkError if the connection breaks, falls silent or is too slow. A body that ends is complete. */
  readonly body: AsyncIterable<Buffer>
  /** The first `most` characters of the body, as they came. The rest is not read. */
  text(most: number): Promise<string>
}

/** An answer of any status. Redirects are answers too: they are never followed. */
export interface Answer extends Head {
  /** The bytes of the body, up to `maxBytes`. */
  readonly bytes: Buffer
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean
  /** The body as text, as it came. */
  readonly body: string
}

/**
 * Sends requests to one origin, through a proxy if the environment names one. Connections are kept alive, redirects are
 * not followed, each request has one deadline, and no error contains a secret.
 */
export class Transport {
  readonly origin: string
  readonly #pool: Pool
  readonly #tunnel: Tunnel | undefined
  readonly #redactor: Redactor

  constructor({ origin, secrets, connections = 8 }: TransportOptions) {
    this.origin = origin
    const proxy = proxyOf(origin)
    this.#redactor = redactorOf([...secrets, ...(proxy?.secrets ?? [])])
    this.#tunnel = proxy && new Tunnel(proxy, CONNECT_TIMEOUT_MS, this.#redactor)
    this.#pool = new Pool(origin, {
      connections,
      connect: this.#tunnel?.connect ?? { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The deadline replaces these: each watches only one phase, and a slow drip would outlast them.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Sends one request and reads its answer, up to `maxBytes`. Throws NetworkError if the answer is not complete. */
  async request(request: TransportRequest & { readonly maxBytes?: number }): Promise<Answer> {
    const { maxBytes = DEFAULT_ANSWER_BYTES } = request
    const { body, ...head } = await this.stream(request)
    const read = await beginningOf(body, maxBytes)
    const bytes = read.subarray(0, maxBytes)
    return {
      ...head,
      bytes,
      truncated: read.length > maxBytes,
      // The text is made only when it is read: pages of rows are read from the bytes.
      get body() {
        return bytes.toString('utf8')
      },
    }
  }

  /** Sends one request. Resolves when the answer's status and headers have come. Throws NetworkError. */
  async stream(request: TransportRequest): Promise<StreamedAnswer> {
    const { method, path, timeoutMs, quietMs = 0, signal } = request
    const { origin } = this
    const redactor = this.#redactor
    const watch = watched(request, origin, redactor)
    // AbortSignal.any would keep every request in memory during the run.
    const end = deadline(Math.min(timeoutMs, LONGEST_TIMER_MS), signal ? [signal] : [])
    const failed = (error: unknown): NetworkError => {
      end.release()
      const why = end.isLate ? 'timeout' : signal?.aborted ? 'aborted' : undefined
      const failure = networkError(error, origin, redactor, why)
      watch?.over(failure.kind)
      return failure
    }
    try {
      const answer = await this.#pool.request({
        method,
        path,
        headers: { 'user-agent': USER_AGENT, ...request.headers },
        body: request.body ?? null,
        signal: end.signal,
        headersTimeout: quietMs,
        bodyTimeout: quietMs,
      })
      watch?.answered(answer.statusCode, answer.headers['content-length'])
      const raw = answer.body as AsyncIterable<Buffer>
      const read = () => {
        end.release()
        watch?.over()
      }
      const body = piecesOf(watch?.counted(raw) ?? raw, read, failed)
      return {
        status: answer.statusCode,
        headers: flatHeaders(answer.headers),
        redact: redactor.text,
        body,
        text: async (most) => (await beginningOf(body, most)).toString('utf8').slice(0, most),
      }
    } catch (error) {
      throw failed(error)
    }
  }

  redact(text: string): string {
    return this.#redactor.text(text)
  }

  /** Closes all connections at once, also those in use. */
  async close(): Promise<void> {
    await this.#pool.destroy()
    await this.#tunnel?.close()
  }
}

/**
 * The body, with NetworkErrors. Leaving the loop early destroys the body and its connection, so an endless answer costs
 * no more.
 */
async function* piecesOf(
  body: AsyncIterable<Buffer>,
  release: () => void,
  failed: (error: unknown) => NetworkError,
): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw failed(error)
  } finally {
    release()
  }
}
