import { type ErrorDetails, PosthaulError } from '../errors.ts'
import type { Redactor } from './redact.ts'

/** How a request failed before its answer was complete. */
export type NetworkKind =
  | 'dns' // the host name does not resolve
  | 'refused' // no server listens, or no route
  | 'tls' // the certificate or handshake failed
  | 'reset' // the connection broke; the server may have acted on the request
  | 'timeout' // the deadline passed; the server may have acted on the request
  | 'protocol' // what came back is not HTTP
  | 'proxy' // the proxy cannot be reached, or refuses the request
  | 'aborted' // the caller's signal aborted

const KIND_OF: Readonly<Record<string, Exclude<NetworkKind, 'proxy'>>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  EPROTO: 'tls',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
}

const WORDS: Readonly<Record<Exclude<NetworkKind, 'proxy'>, string>> = {
  dns: 'the host name does not resolve',
  refused: 'no connection',
  tls: 'the secure connection failed',
  reset: 'the connection broke',
  timeout: 'no complete answer in time',
  protocol: 'the answer is not HTTP',
  aborted: 'interrupted',
}

const HINTS: Partial<Record<NetworkKind, string>> = {
  dns: 'check the address and the network',
  refused: 'check the address, and that the server runs',
  tls: 'check the address; a private authority needs NODE_EXTRA_CA_CERTS',
}

/** A request failed before its answer was complete. `aborted`, `tls` and a proxy's refusal are not retried. */
export class NetworkError extends PosthaulError {
  readonly kind: NetworkKind
  /** No server has that name or port. If there was none at the first request, the address is mistyped. */
  readonly unreachable: boolean

  constructor(
    message: string,
    kind: NetworkKind,
    unreachable = false,
    details: ErrorDetails = { code: 'unavailable', fate: 'retry' },
  ) {
    super(message, details)
    this.name = 'NetworkError'
    this.kind = kind
    this.unreachable = unreachable
  }
}

/**
 * Makes a NetworkError, free of secrets, of what undici or a socket threw. `known` is why the request ended, if the
 * caller knows: it overrides what the error says.
 */
export function networkError(
  error: unknown,
  origin: string,
  redactor: Redactor,
  known?: 'timeout' | 'aborted',
): NetworkError {
  if (error instanceof NetworkError && known === undefined) return error
  const kind = known ?? kindOf(error)
  const cause = redactor.error(error)
  const { code } = cause as NodeJS.ErrnoException
  const hint = hintOf(kind, origin)
  return new NetworkError(
    `${origin}: ${WORDS[kind]}${detailOf(cause, kind)}`,
    kind,
    code === 'ENOTFOUND' || code === 'ECONNREFUSED',
    {
      code: kind === 'aborted' ? 'interrupted' : 'unavailable',
      fate: kind === 'aborted' || kind === 'tls' ? 'stop' : 'retry',
      ...(hint && { hint }),
      cause,
    },
  )
}

/** The error's own message, to follow ours; empty if it says no more than the kind. */
function detailOf(cause: Error, kind: NetworkKind): string {
  const { code } = cause as NodeJS.ErrnoException
  const said = kind === 'aborted' || kind === 'timeout' || !cause.message ? '' : `: ${plain(cause.message)}`
  return `${said}${code && !said.includes(code) ? ` (${code})` : ''}`
}

function hintOf(kind: NetworkKind, origin: string): string | undefined {
  const { hostname, host } = new URL(origin)
  // An address without a scheme counts as https, but servers on this machine mostly use plain http.
  return kind === 'tls' && isLoopback(hostname) ? `for plain http write http://${host}` : HINTS[kind]
}

/** Of OpenSSL's messages, which name its source file and line, the fifth piece: only that helps a user. */
function plain(message: string): string {
  return /^[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message
}

function kindOf(error: unknown): Exclude<NetworkKind, 'proxy'> {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code !== 'string') continue
    const kind = KIND_OF[code]
    if (kind) return kind
    if (code.startsWith('HPE_')) return 'protocol'
    if (/CERT|TLS|SSL|SIGNATURE|ISSUER|SELF_SIGNED/.test(code)) return 'tls'
  }
  return error instanceof Error && error.name === 'HTTPParserError' ? 'protocol' : 'reset'
}

/** True for this machine's own names, as a URL writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** What came back for one request: an answer of any status, or how the request failed. */
export type Reply =
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** The whole body. */
      readonly bytes?: Buffer
      readonly redact?: (text: string) => string
    }
  | { readonly network: NetworkKind; readonly message: string }

/** A body's first bytes. If the body is longer than `most`, these are too, and the rest is not read. */
export async function beginningOf(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > most) break
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** Bytes as text, without a byte order mark. RangeError where they are no UTF-8: signs would be lost in silence. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new RangeError('not valid UTF-8', { cause })
  }
}

/** The headers, repeated ones joined by a comma. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** Why a request is tried again, as a word to count by: the status, or the kind of the network's failure. */
export function causeOf(failure: Reply | Error): string {
  if (failure instanceof NetworkError) return failure.kind
  if ('network' in failure) return failure.network
  if ('status' in failure && typeof failure.status === 'number') return String(failure.status)
  return failure instanceof PosthaulError ? failure.code : 'other'
}
