import type { RateLimiter } from '../http/rate-limiter.ts'
import { isPassing, retryAfterMs } from '../http/retry-after.ts'
import { Secret } from '../http/secret.ts'
import { type StreamedAnswer, Transport, type TransportRequest } from '../http/transport.ts'
import { VendorError } from './vendor-error.ts'

const WORDS = 300
// More than is shown, because half of a JSON answer cannot be parsed.
const REFUSAL_CHARS = 4096
// A whole answer may take so many times the longest silence: slow is fine, endless is not.
const SILENCES = 12

/** What goes into the Authorization header, and everything in it that must not be told. */
export interface Credentials {
  readonly header: string
  readonly secrets: readonly Secret[]
}

/** A key of its own. */
export function bearer(key: Secret): Credentials {
  return { header: `Bearer ${key.reveal()}`, secrets: [key] }
}

/** User and password, joined in base64. */
export function basic(user: Secret, password: Secret | undefined): Credentials {
  const pair = new Secret(`${user.reveal()}:${password?.reveal() ?? ''}`, user.from)
  const token = Buffer.from(pair.reveal()).toString('base64')
  return { header: `Basic ${token}`, secrets: password ? [pair, password] : [pair, user] }
}

export interface ClientOptions {
  /** How messages call the vendor. */
  readonly vendor: string
  readonly origin: string
  readonly credentials: Credentials
  readonly limiter: RateLimiter
  /** The longest silence of the vendor's server, in milliseconds. */
  readonly quietMs: number
}

export type VendorRequest = Pick<TransportRequest, 'method' | 'path' | 'headers' | 'body'>

/** Reads another status than 200 before it becomes an error: the error to throw, or undefined for the usual one. */
export type Expected = (status: number, words: string) => VendorError | undefined

/** Asks one vendor, under its quota. What is no data becomes a VendorError with the vendor's own words. */
export class VendorClient {
  readonly vendor: string
  readonly #options: ClientOptions
  readonly #transport: Transport

  constructor(options: ClientOptions) {
    this.vendor = options.vendor
    this.#options = options
    const { origin, credentials } = options
    this.#transport = new Transport({ origin, secrets: credentials.secrets, connections: 16 })
  }

  /** The answer with the status 200. */
  async ask(request: VendorRequest, signal: AbortSignal, expected?: Expected): Promise<StreamedAnswer> {
    const { limiter, quietMs, credentials } = this.#options
    await limiter.enter(signal)
    const answer = await this.#transport.stream({
      ...request,
      headers: { ...request.headers, authorization: credentials.header },
      quietMs,
      timeoutMs: quietMs * SILENCES,
      signal,
    })
    if (answer.status === 200) return answer
    const text = await answer.text(REFUSAL_CHARS).catch(() => '')
    const words = oneLine(spoken(text))
    const wait = retryAfterMs(answer.headers['retry-after'], Date.now())
    // The quota is one for all: the requests still in line wait as well.
    if (answer.status === 429 && wait !== undefined) limiter.hold(wait)
    throw expected?.(answer.status, words) ?? refusal(this.#options, answer.status, words, wait)
  }

  /** Takes the secrets out of a text that came from the vendor. */
  redact(text: string): string {
    return oneLine(this.#transport.redact(text))
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}

function refusal(
  { vendor, credentials }: ClientOptions,
  status: number,
  words: string,
  waitMs: number | undefined,
): VendorError {
  const said = `${vendor} answered ${status}${words ? `: ${words}` : ''}`
  if (status === 401 || status === 403) {
    const names = [...new Set(credentials.secrets.map(({ from }) => from))]
    const hint = `check ${names.join(' and ')}, and that ${names.length > 1 ? 'they' : 'it'} may export this project`
    return new VendorError(said, { code: 'auth', hint })
  }
  if (status === 402) {
    return new VendorError(said, { code: 'config', hint: "the project's plan does not include its export" })
  }
  if (isPassing(status)) {
    return new VendorError(said, {
      code: 'unavailable',
      fate: 'retry',
      status,
      ...(waitMs !== undefined && { waitMs }),
    })
  }
  if (status >= 300 && status < 400) {
    return new VendorError(`${said} (redirects are not followed)`, {
      code: 'config',
      hint: 'check the region',
    })
  }
  return new VendorError(said, { code: 'config', hint: 'check the project, the region and the flags' })
}

/** The vendor's words: the text in the JSON of its error, or the body itself where it has another shape. */
function spoken(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as { detail?: unknown; error?: unknown }
    return [detail, error].find((words) => typeof words === 'string') ?? text
  } catch {
    return text
  }
}

function oneLine(text: string): string {
  const flat = text.slice(0, WORDS).replaceAll(/\s+/g, ' ').trim()
  // A proxy's page has no words worth a screen.
  return flat.startsWith('<') ? 'a web page' : flat.length >= WORDS ? `${flat}…` : flat
}
