import { type ErrorDetails, PosthaulError } from '../errors.ts'
import type { Clock } from '../http/clock.ts'
import { type Limit, RateLimiter } from '../http/rate-limiter.ts'
import { isPassing, retryAfterMs } from '../http/retry.ts'
import { Secret } from '../http/secret.ts'
import { type StreamedAnswer, Transport, type TransportRequest } from '../http/transport.ts'
import { isJson } from '../record/json-values.ts'
import { objectOrEmpty, parsedOrNone } from '../text/json.ts'
import { MS_PER_DAY } from '../text/units.ts'
import type { QuotaMemory } from './source.ts'
import type { Login, LoginTools, VendorProject } from './vendor-source.ts'
import type { Window } from './window.ts'

export interface VendorErrorDetails extends ErrorDetails {
  /** The HTTP status, if it says what is wrong. */
  readonly status?: number
}

/**
 * A vendor answered without data. The fate `retry`: ask again. `reject`: this window cannot be fetched, but others can.
 * `stop`: nothing can be fetched until the user changes something.
 */
export class VendorError extends PosthaulError {
  readonly status: number | undefined

  constructor(message: string, details: VendorErrorDetails) {
    super(message, details)
    this.name = 'VendorError'
    this.status = details.status
  }
}

/** The error for an answer that is not complete: it does not become a part, and is requested again. */
export function cutShort(message: string, cause?: unknown): VendorError {
  return new VendorError(message, { code: 'unavailable', fate: 'retry', cause })
}

/** The error for a refusal that passes by itself. `waitMs`: how long the vendor asks to wait. */
export function passingRefusal(said: string, status: number, waitMs: number | undefined): VendorError {
  const details = { code: 'unavailable', fate: 'retry', status } as const
  return new VendorError(said, { ...details, ...(waitMs !== undefined && { waitMs }) })
}

/** The words of a refusal that is a page: a proxy's, or that of a network's login. */
export const WEB_PAGE = 'a web page'
const WORDS = 300
// This much of an error's body is read, more than is shown, because half of a JSON text cannot be parsed.
const REFUSAL_CHARS = 4096
// The deadline of an answer, in times of the longest silence: a slow answer is accepted, an endless one is not.
export const SILENCES = 12

/** The Authorization header, and everything in it that must not be shown. */
export interface Credentials {
  /** Undefined where the key goes into the body. */
  readonly header?: string
  readonly secrets: readonly Secret[]
}

export function bearer(key: Secret): Credentials {
  return { header: `Bearer ${key.reveal()}`, secrets: [key] }
}

/** Credentials of a user and a password, joined in base64. */
export function basic(user: Secret, password: Secret | undefined): Credentials {
  const pair = new Secret(`${user.reveal()}:${password?.reveal() ?? ''}`, user.from)
  const token = Buffer.from(pair.reveal()).toString('base64')
  return { header: `Basic ${token}`, secrets: password ? [pair, password] : [pair, user] }
}

interface ClientOptions {
  /** The vendor's name in messages. */
  readonly vendor: string
  readonly origin: string
  readonly credentials: Credentials
  readonly limiter: RateLimiter
  /** The longest silence of the vendor's server, in milliseconds. */
  readonly quietMs: number
}

/** How every vendor's order fetches. */
export interface PacedWindows {
  readonly windows: readonly Window[]
  readonly limits: readonly Limit[]
  /** The longest silence of the vendor's server, in milliseconds. */
  readonly quietMs: number
  readonly clock: Clock
}

/** A limiter that keeps a quota over restarts. `atOnce`: for a quota that a restart must not break. */
export function keptLimiter(
  memory: QuotaMemory,
  quota: string,
  { limits, clock }: Pick<PacedWindows, 'limits' | 'clock'>,
  atOnce = false,
): RateLimiter {
  const remember = (asked: readonly number[]) => memory.remember(quota, asked, atOnce)
  return new RateLimiter({ limits, clock, asked: memory.asked(quota), remember })
}

export interface VendorRequest extends Pick<TransportRequest, 'method' | 'path' | 'headers' | 'body'> {
  /** The status of the answer that was asked for; 200 if left out. */
  readonly wants?: number
}

/**
 * Handles a status that was not asked for. Returns the error to throw, or undefined for the usual one. `words` are shown,
 * `raw` are the same as they came, to be read.
 */
export type Expected = (status: number, words: string, raw: string) => VendorError | undefined

/** Sends requests to one vendor, within its quota. A refusal is a VendorError with the vendor's own words. */
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

  /** Sends a request. Resolves to an answer with the status it wants, and throws a VendorError for any other. */
  async ask(
    { wants = 200, ...request }: VendorRequest,
    signal: AbortSignal,
    expected?: Expected,
  ): Promise<StreamedAnswer> {
    const { limiter, quietMs, credentials } = this.#options
    await limiter.enter(signal)
    const answer = await this.#transport.stream({
      ...request,
      headers: {
        ...request.headers,
        ...(credentials.header !== undefined && { authorization: credentials.header }),
      },
      quietMs,
      timeoutMs: quietMs * SILENCES,
      signal,
    })
    if (answer.status === wants) return answer
    const text = await refusalText(this.vendor, answer)
    const said = errorText(text)
    const words = this.redact(said)
    const wait = retryAfterMs(answer.headers['retry-after'], Date.now())
    // All requests share the quota, so those in the queue wait too.
    if (answer.status === 429 && wait !== undefined) limiter.hold(wait)
    throw (
      expected?.(answer.status, words, oneLine(said)) ?? refusal(this.#options, answer.status, words, wait)
    )
  }

  get origin(): string {
    return this.#options.origin
  }

  get limiter(): RateLimiter {
    return this.#options.limiter
  }

  /** The longest silence of the vendor's server, in milliseconds. */
  get quietMs(): number {
    return this.#options.quietMs
  }

  redact(text: string): string {
    return oneLine(this.#transport.redact(text))
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}

/**
 * The text of an answer that is not the wanted one. What becomes of a refusal can hang on its words, so the request is
 * sent again if they did not come whole. A status that passes by itself needs no words.
 */
async function refusalText(vendor: string, answer: StreamedAnswer): Promise<string> {
  if (isPassing(answer.status)) return answer.text(REFUSAL_CHARS).catch(() => '')
  const text = await answer.text(REFUSAL_CHARS)
  const saysJson = /\bjson\b/.test(answer.headers['content-type'] ?? '')
  if (saysJson && text.length < REFUSAL_CHARS && !isJson(text)) {
    throw cutShort(
      `${vendor} answered ${answer.status}, and the answer broke off: ${oneLine(answer.redact(text))}`,
    )
  }
  return text
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
  // A status that nobody wanted and that is no refusal comes from something in between, such as the page of a Wi-Fi.
  if (isPassing(status) || (status >= 200 && status < 300)) {
    return passingRefusal(said, status, waitMs)
  }
  if (status >= 300 && status < 400) {
    return new VendorError(`${said} (redirects are not followed)`, {
      code: 'config',
      hint: 'check the region',
    })
  }
  return new VendorError(said, { code: 'config', hint: 'check the project, the region and the flags' })
}

/** The vendor's words: the text in its error's JSON, else the body itself. */
function errorText(text: string): string {
  const { detail, error } = objectOrEmpty(parsedOrNone(text))
  const said = [detail, error, objectOrEmpty(error).message]
  return said.find((words) => typeof words === 'string') ?? text
}

function oneLine(text: string): string {
  const flat = text.slice(0, WORDS).replaceAll(/\s+/g, ' ').trim()
  // The text of a proxy's page is of no use to the user.
  return flat.startsWith('<') ? WEB_PAGE : flat.length >= WORDS ? `${flat}…` : flat
}

/** The vendor's addresses by name: one that is named, else those of all regions. */
export function loginPlaces<Host>(
  vendor: string,
  { region, baseUrl }: VendorProject,
  hosts: Readonly<Record<string, Host>>,
  originOf: (host: Host) => string,
): (readonly [name: string, origin: string])[] {
  if (baseUrl !== undefined) return [[vendor, baseUrl]]
  return Object.entries(hosts)
    .filter(([name]) => region === undefined || name === region)
    .map(([name, host]) => [`${vendor} (${name})`, originOf(host)] as const)
}

/** A login that is tried with a client of its own. One request needs no quota. */
export function loginBy(
  { name, ...of }: { name: string; vendor: string; origin: string; credentials: Credentials },
  { clock, patienceMs: quietMs }: LoginTools,
  work: (client: VendorClient, signal: AbortSignal) => Promise<string | undefined>,
): Login {
  const ask: Login['ask'] = async (signal) => {
    const client = new VendorClient({ ...of, limiter: new RateLimiter({ limits: [], clock }), quietMs })
    try {
      return await work(client, signal)
    } finally {
      await client.close()
    }
  }
  return { name, origin: of.origin, ask }
}

export function startOfDay(now: number): number {
  return now - (now % MS_PER_DAY)
}
