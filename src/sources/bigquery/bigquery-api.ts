import { RateLimiter, type RetryOptions, retrying, type Secret } from '../../http/index.ts'
import { MIB } from '../../text/index.ts'
import { askJson, type JsonRequest } from '../answer-bytes.ts'
import { VendorClient, VendorError, type VendorErrorDetails } from '../vendor-client.ts'
import type { GoogleTokens } from './google-tokens.ts'

// A page has 10 MB at most, more with what JSON adds.
const MOST_BYTES = 256 * MIB

/** So many answers in a row that are none are the last. */
const MOST_ODD = 10

/** Reasons that pass by themselves, whatever the status. */
const PASSING =
  /^(?:(?:user|job)?rateLimitExceeded|(?:job)?(?:backend|internal)Error|tableUnavailable|badGateway)$/i

/** What a reason means, and what to do. */
const STOPS: Readonly<Record<string, readonly [code: VendorErrorDetails['code'], hint: string]>> = {
  accessDenied: [
    'auth',
    'its account needs the role BigQuery Data Viewer on the dataset, and BigQuery Job User on the project for queries',
  ],
  billingNotEnabled: ['config', 'queries need a project with billing: name one in GOOGLE_CLOUD_PROJECT'],
  bytesBilledLimitExceeded: [
    'config',
    'raise --max-bytes-billed, or ask for less: a column that divides the table',
  ],
  invalidQuery: ['config', 'check the query and the names of columns'],
  notFound: [
    'config',
    'check --dataset and the table; a dataset outside of the US and the EU may need --location',
  ],
  quotaExceeded: [
    'unavailable',
    'a quota of the project is used up: run the same command again later, or raise it',
  ],
  resourcesExceeded: ['config', 'ask for less at once: a shorter --window'],
  responseTooLarge: ['config', 'one row is larger than an answer can be: leave columns out by --query'],
}

/** A refusal with the reason that Google gives. */
export class BigQueryError extends VendorError {
  readonly reason: string

  constructor(reason: string, message: string, details: VendorErrorDetails) {
    super(message, details)
    this.reason = reason
  }
}

/** The error of a refusal or of a job that failed. `status`: 400 for a job. */
export function bigQueryRefusal(reason: string, words: string, status: number): BigQueryError {
  const said = `BigQuery answered ${status} (${reason}): ${words}`
  const known = STOPS[reason] ?? (status === 403 ? STOPS.accessDenied : undefined)
  if (PASSING.test(reason) || (!known && status >= 500)) {
    return new BigQueryError(reason, said, { code: 'unavailable', fate: 'retry', status })
  }
  return new BigQueryError(reason, said, {
    code: known?.[0] ?? 'config',
    status,
    ...(known && { hint: known[1] }),
  })
}

interface ApiOptions {
  readonly tokens: Pick<GoogleTokens, 'headers' | 'drop'>
  readonly origin: string
  /** The longest silence of the server, in milliseconds. */
  readonly quietMs: number
  readonly retry: Omit<RetryOptions, 'signal'>
}

/** A request, and how its answer is read. */
export interface ApiRequest<T> extends Pick<JsonRequest<T>, 'read'> {
  /** After `/bigquery/v2/`, with its query. */
  readonly path: string
  /** Sent as JSON, by POST. */
  readonly body?: unknown
}

/** Sends requests to BigQuery, each with a token that holds, and again what fails in passing. */
export class BigQueryApi {
  readonly options: ApiOptions
  readonly #limiter: RateLimiter
  readonly #clients: VendorClient[] = []
  #token: string | undefined
  /** Whether the token was ever let in. */
  #isGood = false

  constructor(options: ApiOptions) {
    this.options = options
    this.#limiter = new RateLimiter({ limits: [], clock: options.retry.clock })
  }

  /** Asks until the answer is whole. Throws a BigQueryError for a refusal that has a reason. */
  ask<T>(request: ApiRequest<T>, signal: AbortSignal): Promise<T> {
    return retrying(() => this.#once(request, signal), {
      ...this.options.retry,
      signal,
      // Something in between may answer for a while. What BigQuery says itself in another shape comes again.
      givesUp: (error, tries) => error instanceof VendorError && !error.status && tries >= MOST_ODD,
    })
  }

  async #once<T>({ path, body, read }: ApiRequest<T>, signal: AbortSignal): Promise<T> {
    const { headers, secrets } = await this.options.tokens.headers()
    const answer = await askJson(
      this.#client(headers.authorization, secrets),
      {
        method: body === undefined ? 'GET' : 'POST',
        path: `/bigquery/v2/${path}`,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        read,
        most: MOST_BYTES,
        tooLong: () => bigQueryRefusal('responseTooLarge', `an answer has over ${MOST_BYTES} bytes`, 200),
        otherwise: 'BigQuery answered 200, but with something else',
        expected: (status, words, text) => this.#refusal(status, words, text),
      },
      signal,
    )
    this.#isGood = true
    return answer
  }

  #refusal(status: number, words: string, text: string): VendorError | undefined {
    if (status === 401 && this.#isGood) {
      this.#isGood = false
      this.options.tokens.drop()
      return new VendorError(`BigQuery takes the token no longer: ${words}`, {
        code: 'unavailable',
        fate: 'retry',
      })
    }
    const [, reason] = /"reason":\s*"(\w+)"/.exec(text) ?? []
    return reason === undefined || status === 401 ? undefined : bigQueryRefusal(reason, words, status)
  }

  /** The client of a token. Requests under way keep that of the token before. */
  #client(token: string | undefined, secrets: readonly Secret[]): VendorClient {
    const last = this.#clients.at(-1)
    if (last && token === this.#token) return last
    const { origin, quietMs } = this.options
    const client = new VendorClient({
      ...{ vendor: 'BigQuery', origin, quietMs },
      credentials: { secrets },
      limiter: this.#limiter,
    })
    this.#token = token
    this.#isGood = false
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
  }
}
