import type { IncomingHttpHeaders } from 'node:http'
import { flawOfToken } from '../request.ts'
import { parseRfc3339 } from '../time.ts'
import { parseUuid } from '../uuid.ts'
import { V1Refusal } from './error.ts'

/** What the headers of a Capture V1 request say. */
export interface V1Head {
  readonly token: string
  /** Lower case; undefined when the body is not packed. */
  readonly encoding: string | undefined
  /** The sender's clock: microseconds since the epoch. */
  readonly sentAt: bigint
  /** The sender's name and version; undefined where PostHog-Sdk-Info can't be split into the two. */
  readonly lib: { readonly name: string; readonly version: string } | undefined
}

const REQUIRED = [
  'PostHog-Sdk-Info',
  'PostHog-Attempt',
  'PostHog-Request-Id',
  'PostHog-Request-Timestamp',
  'content-type',
  'user-agent',
]
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd']
const MAX_SDK_INFO = 200
const MAX_ATTEMPT = 2 ** 32 - 1

/** Checks the headers in the service's order. Throws V1Refusal for the first that is missing or wrong. */
export function readHead(headers: IncomingHttpHeaders): V1Head {
  if (headers.authorization === undefined) {
    throw new V1Refusal('missing_authorization', 'request has no Authorization header')
  }
  const missing = REQUIRED.filter((name) => headers[name.toLowerCase()] === undefined)
  if (missing.length > 0) {
    throw new V1Refusal('missing_required_headers', `request lacks required headers: ${missing.join(', ')}`)
  }
  const value = (name: string) => visible(name, String(headers[name.toLowerCase()]))
  const token = readToken(value('authorization'))
  checkType(value('content-type'))
  const encoding = readEncoding(headers['content-encoding'])
  if (parseUuid(value('PostHog-Request-Id')) === undefined) {
    throw invalid('PostHog-Request-Id is not a UUID', value('PostHog-Request-Id'))
  }
  const attempt = value('PostHog-Attempt')
  if (!/^\+?\d+$/.test(attempt) || Number(attempt) < 1 || Number(attempt) > MAX_ATTEMPT) {
    throw invalid('PostHog-Attempt is not an integer from 1', attempt)
  }
  const sent = value('PostHog-Request-Timestamp')
  const sentAt = parseRfc3339(sent)
  if (sentAt === undefined) throw invalid('PostHog-Request-Timestamp is not RFC 3339', sent)
  value('user-agent')
  return { token, encoding, sentAt, lib: splitLib(value('PostHog-Sdk-Info')) }
}

function invalid(what: string, value: string): V1Refusal {
  return new V1Refusal('invalid_header_value', `invalid header value: ${what}: ${value}`)
}

function visible(name: string, value: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value
  throw new V1Refusal('invalid_header_value', `invalid header value: ${name} is not ASCII`)
}

function readToken(authorization: string): string {
  const token = /^bearer (.+)$/i.exec(authorization)?.[1]?.trim()
  if (token === undefined) {
    throw new V1Refusal(
      'invalid_header_value',
      'invalid header value: Authorization is not of the Bearer scheme',
    )
  }
  if (flawOfToken(token)) throw new V1Refusal('invalid_api_token', 'The provided API token is not valid.')
  return token
}

function checkType(type: string): void {
  if (type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json') return
  throw new V1Refusal('unsupported_content_type', `unsupported content type: ${type}`)
}

function readEncoding(encoding: string | undefined): string | undefined {
  if (encoding === undefined) return undefined
  const name = visible('Content-Encoding', encoding).toLowerCase()
  if (ENCODINGS.includes(name)) return name
  throw new V1Refusal('unsupported_encoding', `unsupported content encoding: ${encoding}`)
}

function splitLib(info: string): V1Head['lib'] {
  const slash = info.lastIndexOf('/')
  const name = info.slice(0, Math.max(0, slash)).trim()
  const version = info.slice(slash + 1).trim()
  return info.length > MAX_SDK_INFO || name === '' || version === '' ? undefined : { name, version }
}
