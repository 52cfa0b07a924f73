import { Pool } from 'undici'
import { MIB } from '../units.ts'
import { VERSION } from '../version.ts'
import { beginningOf, flatHeaders } from './answer.ts'
import { type NetworkError, networkError } from './network-error.ts'
import { proxyOf } from './proxy.ts'
import { type Redactor, redactorOf } from './redact.ts'
import type { Secret } from './secret.ts'
import { Tunnel } from './tunnel.ts'

const USER_AGENT = `posthaul/${VERSION}`
const CONNECT_TIMEOUT_MS = 10_000
// A paced import sends every few seconds; the connection should outlive the gap. A server's own hint wins.
const KEEP_ALIVE_MS = 30_000
const DEFAULT_ANSWER_BYTES = MIB
// Read beyond what is shown: a secret that the cut would leave half of is still seen whole.
const SECRET_BYTES = 8192

export interface TransportOptions {
  /** scheme://host[:port]; every request goes there and nowhere else. */
  readonly origin: string
  /** What must never leave in an error or an answer's text. */
  readonly secrets: readonly Secret[]
  /** The most connections at once. */
  readonly connections?: number
}

export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The deadline of the whole exchange: connecting, sending and reading the answer to its end. */
  readonly timeoutMs: number
  /** The longest silence of the server, before the answer begins and between its pieces; the deadline if not given. */
  readonly quietMs?: number
  readonly signal?: AbortSignal
}

interface Head {
  readonly status: number
  /** Lower-case names; repeated ones joined by a comma; secrets redacted. */
  readonly headers: Readonly<Record<string, string>>
}

/** An answer of any status whose body comes as it is read. Read `body` or `text()`, once: it holds a connection. */
export interface StreamedAnswer extends Head {
  /** Throws NetworkError when the connection breaks, falls silent or is too slow: a body that ended is whole. */
  readonly body: AsyncIterable<Buffer>
  /** The beginning of the body as text, `most` characters, secrets redacted; the rest is not read. */
  text(most: number): Promise<string>
}

/** An answer of any status, redirects included: they are never followed. */
export interface Answer extends Head {
  /** The body as it came, up to `maxBytes`. */
  readonly bytes: Buffer
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean
  /** The body as text, secrets redacted. */
  readonly body: string
}

/**
 * One origin's connections, through a proxy where the environment names one. Kept alive, no redirects, one deadline a
 * request, no secret in what it throws.
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
      // The deadline covers these; they only watch one phase each, so a slow drip would outlive them.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Sends one request and reads its answer, up to `maxBytes` of it. Throws NetworkError when there is no whole answer. */
  async request(request: TransportRequest & { readonly maxBytes?: number }): Promise<Answer> {
    const { maxBytes = DEFAULT_ANSWER_BYTES } = request
    const { status, headers, body } = await this.stream(request)
    const read = await beginningOf(body, maxBytes)
    const bytes = read.subarray(0, maxBytes)
    const redactor = this.#redactor
    return {
      status,
      headers,
      bytes,
      truncated: read.length > maxBytes,
      // Decoded on demand: pages of rows are read from the bytes alone.
      get body() {
        return redactor.text(bytes.toString('utf8'))
      },
    }
  }

  /** Sends one request; resolves when the answer's head is there. Throws NetworkError. */
  async stream(request: TransportRequest): Promise<StreamedAnswer> {
    const { method, path, timeoutMs, quietMs = 0, signal } = request
    const { origin } = this
    const redactor = this.#redactor
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
    // The connection keeps the process alive as long as there is something to wait for.
    deadline.unref()
    const release = () => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
    }
    const failed = (error: unknown): NetworkError => {
      release()
      return networkError(error, origin, redactor, late ? 'timeout' : signal?.aborted ? 'aborted' : undefined)
    }
    try {
      const answer = await this.#pool.request({
        method,
        path,
        headers: { 'user-agent': USER_AGENT, ...request.headers },
        body: request.body ?? null,
        signal: abort.signal,
        headersTimeout: quietMs,
        bodyTimeout: quietMs,
      })
      const body = piecesOf(answer.body as AsyncIterable<Buffer>, release, failed)
      return {
        status: answer.statusCode,
        headers: flatHeaders(answer.headers, redactor),
        body,
        text: async (most) => {
          const bytes = await beginningOf(body, most + SECRET_BYTES)
          return redactor.text(bytes.toString('utf8')).slice(0, most)
        },
      }
    } catch (error) {
      throw failed(error)
    }
  }

  /** Takes the registered secrets out of a text. */
  redact(text: string): string {
    return this.#redactor.text(text)
  }

  /** Closes all connections, at once. */
  async close(): Promise<void> {
    await this.#pool.destroy()
    await this.#tunnel?.close()
  }
}

/** The body, with errors of our own. Leaving it early destroys it, and its connection: an endless answer costs no more. */
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
