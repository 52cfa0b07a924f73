import type { Pool } from 'undici'
import { NetworkError, toNetworkError } from './network-error.ts'
import type { Redactor } from './redact.ts'

export interface StreamRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** The longest silence of the server: before the answer begins and between its pieces. */
  readonly quietMs: number
  /** The deadline of the whole exchange, reading the body included. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** An answer of any status whose body comes as it is read. Read `body` or `text()`, once: it holds a connection. */
export interface StreamedAnswer {
  readonly status: number
  /** Lower-case names; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Throws NetworkError when the connection breaks, falls silent or is too slow: a body that ended is whole. */
  readonly body: AsyncIterable<Buffer>
  /** The beginning of the body as text, `most` characters, secrets redacted; the rest is not read. */
  text(most: number): Promise<string>
}

// Read beyond what is shown: a secret that the cut would leave half of is still seen whole.
const SECRET_BYTES = 8192

/** Where a stream's request goes. */
export interface StreamPlace {
  readonly pool: Pool
  readonly origin: string
  readonly redactor: Redactor
}

/** Sends one request; resolves when the answer's head is there. Throws NetworkError. */
export async function openStream(place: StreamPlace, request: StreamRequest): Promise<StreamedAnswer> {
  const { pool, origin, redactor } = place
  const { timeoutMs, quietMs, signal } = request
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
  const release = () => {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', onAbort)
  }
  const failed = (error: unknown): NetworkError => {
    release()
    if (late) return new NetworkError('timeout', origin, redactor.error(error))
    if (signal?.aborted) return new NetworkError('aborted', origin, redactor.error(error))
    return toNetworkError(error, origin, redactor)
  }
  try {
    const answer = await pool.request({
      method: request.method,
      path: request.path,
      headers: { ...request.headers },
      body: request.body ?? null,
      signal: abort.signal,
      headersTimeout: quietMs,
      bodyTimeout: quietMs,
    })
    const body = pieces(answer.body as AsyncIterable<Buffer>, release, failed)
    return {
      status: answer.statusCode,
      headers: flatHeaders(answer.headers),
      body,
      text: async (most) => redactor.text(await beginning(body, most + SECRET_BYTES)).slice(0, most),
    }
  } catch (error) {
    throw failed(error)
  }
}

async function* pieces(
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

async function beginning(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes)
}

/** Headers with repeated ones joined. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}
