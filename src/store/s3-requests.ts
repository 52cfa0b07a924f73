import { Readable } from 'node:stream'
import { PosthaulError } from '../errors.ts'
import { NetworkError } from '../http/network-error.ts'
import { Transport, type TransportRequest } from '../http/transport.ts'
import { MIB, MS_PER_DAY, MS_PER_MINUTE } from '../text/units.ts'

/** A request as the SDK makes it, for bodies that are in memory. */
interface SdkRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  /** Encoded already. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

const CONNECTIONS = 50
const MOST_BYTES = 64 * MIB
// A part of an upload has up to 64 MiB, and the wait for the answer begins with its first byte.
const QUIET_MS = 30 * MS_PER_MINUTE
// Nothing was sent that would have to be stored before the answer.
const READ_QUIET_MS = 5 * MS_PER_MINUTE
// A reader takes what it reads as slowly as it likes.
const TIMEOUT_MS = 7 * MS_PER_DAY

/**
 * The SDK's way to the network: the transport that all other requests go by too, with its proxies and its deadlines.
 * One for each origin: the bucket is a part of the host's name, and roles are asked for elsewhere.
 */
export function s3Requests(quietMs = QUIET_MS) {
  const transports = new Map<string, Transport>()
  const transportTo = (origin: string): Transport => {
    const known = transports.get(origin)
    if (known) return known
    const transport = new Transport({ origin, secrets: [], connections: CONNECTIONS })
    transports.set(origin, transport)
    return transport
  }
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SdkRequest, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) {
      const { protocol, hostname, port, headers, body: sent } = request
      const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
      const transport = transportTo(origin)
      try {
        const answer = await transport.stream({
          method: request.method as TransportRequest['method'],
          path: pathOf(request),
          headers,
          ...(sent !== undefined && { body: sent }),
          quietMs: request.method === 'GET' ? Math.min(quietMs, READ_QUIET_MS) : quietMs,
          timeoutMs: TIMEOUT_MS,
          ...(abortSignal && { signal: abortSignal }),
        })
        const { status: statusCode, headers: received } = answer
        // What a refusal says is no object.
        const isObject = request.query?.['x-id'] === 'GetObject' && statusCode < 300
        // Of an object that ends with the connection nobody can tell whether it is whole.
        if (isObject && statusCode === 200 && !received['content-length'] && !received['transfer-encoding'])
          throw endless(origin)
        const body = isObject ? answer.body : marked(capped(answer.body, origin, quietMs))
        return { response: { statusCode, headers: received, body: Readable.from(body) } }
      } catch (error) {
        throw retryable(error)
      }
    },
  }
}

function endless(origin: string): NetworkError {
  return new NetworkError(`${origin}: the answer does not say where it ends`, 'protocol')
}

/**
 * The SDK holds what is no object in memory: a listing of 1,000 keys has a megabyte. `mostMs`: from the answer's head to its
 * end, since what comes byte by byte is never silent.
 */
async function* capped(body: AsyncIterable<Buffer>, origin: string, mostMs: number): AsyncGenerator<Buffer> {
  const began = performance.now()
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MOST_BYTES) {
      throw new PosthaulError('the answer of the bucket has no end', {
        code: 'unavailable',
        hint: 'check AWS_ENDPOINT_URL_S3, and what is between here and the service',
      })
    }
    if (performance.now() - began > mostMs) throw tooSlow(origin)
    yield chunk
  }
}

function tooSlow(origin: string): NetworkError {
  return new NetworkError(`${origin}: no complete answer in time`, 'timeout')
}

/** A body that the SDK reads itself: it tries again when this one breaks off. */
async function* marked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw retryable(error)
  }
}

/** The SDK knows its own failures by their codes, and those of others by this mark. */
function retryable(error: unknown): unknown {
  const passes = error instanceof NetworkError && error.fate === 'retry'
  return passes ? Object.assign(error, { $retryable: { throttling: false } }) : error
}

/** Path and query in the form that is signed. */
function pathOf({ path, query = {} }: SdkRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === null) return [encode(name)]
    return [value].flat().map((one) => `${encode(name)}=${encode(one as string)}`)
  })
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** RFC 3986, which reserves five signs that encodeURIComponent does not. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
