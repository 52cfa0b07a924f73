import type { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { NetworkError } from '../http/network-error.ts'
import { type Answer, Transport } from '../http/transport.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { askedWait, isPage, ServiceError, type Subject, serviceError, shapeError } from './errors.ts'
import { type Clock, QUERY_ALLOWANCE, REST_ALLOWANCE, SYSTEM_CLOCK, Throttle, type Wait } from './throttle.ts'

const TIMEOUT_MS = 60_000
/** A page of 100 groups with a megabyte of properties each would not fit; nobody has those. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_TRIES = 8
// Nobody has ever been there: the address is mistyped, or the server is just starting.
const MAX_TRIES_AT_NOBODY = 2
const MAX_BACKOFF_MS = 30_000

export interface ApiOptions {
  readonly settings: ApiSettings
  readonly signal: AbortSignal
  /** Told of every wait before it begins. */
  readonly onWait: (wait: Wait) => void
  readonly clock?: Clock
}

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly throttle: Throttle
  readonly subject: Subject
  /** What was too much is not tried again as it is: the asker makes it smaller. */
  readonly canShrink: boolean
}

/** The project API: authorised, throttled, retried; every refusal is a ServiceError. */
export class Api {
  readonly settings: ApiSettings
  readonly #transport: Transport
  readonly #options: ApiOptions
  readonly #rest: Throttle
  readonly #queries: Throttle
  /** Something has answered, whatever it said. */
  #answered = false

  constructor(options: ApiOptions) {
    const { settings, onWait, clock = SYSTEM_CLOCK } = options
    this.settings = settings
    this.#options = options
    this.#transport = new Transport({ origin: settings.origin.value, secrets: [settings.personalKey] })
    this.#rest = new Throttle(REST_ALLOWANCE, onWait, clock)
    this.#queries = new Throttle(QUERY_ALLOWANCE, onWait, clock)
  }

  get origin(): string {
    return this.settings.origin.value
  }

  /** GETs a path of the API; resolves to a 200 with JSON. */
  async get(path: string, subject: Subject): Promise<Answer> {
    return this.#send({ method: 'GET', path, throttle: this.#rest, subject, canShrink: false })
  }

  /** POSTs a query; resolves to a 200 with JSON. */
  async query(path: string, body: object, subject: Subject, canShrink: boolean): Promise<Answer> {
    return this.#send({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      throttle: this.#queries,
      subject,
      canShrink,
    })
  }

  /** Reads an answer's JSON through a schema; an unexpected shape names the field. */
  read<T>(answer: Answer, schema: z.ZodType<T>, what: string): T {
    let value: unknown
    try {
      value = JSON.parse(answer.body)
    } catch (cause) {
      throw shapeError(this.origin, what, (cause as SyntaxError).message)
    }
    return this.check(value, schema, what)
  }

  /** As `read`, of a value that is parsed already. */
  check<T>(value: unknown, schema: z.ZodType<T>, what: string): T {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]!
    throw shapeError(this.origin, what, `${issue.path.join('.') || 'the whole'}: ${issue.message}`)
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }

  #nobody(cause: NetworkError): PosthaulError {
    const hint = `check ${this.settings.origin.from} for a typing error, and that the server runs`
    return new PosthaulError(cause.message, { code: cause.code, hint, cause })
  }

  async #send({ method, path, body, throttle, subject, canShrink }: Call): Promise<Answer> {
    const { signal } = this.#options
    const { settings } = this
    const headers = {
      authorization: `Bearer ${settings.personalKey.reveal()}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    for (let tries = 1; ; tries++) {
      await throttle.take(signal)
      let error: PosthaulError
      let askedMs: number | undefined
      try {
        const request = { method, path, headers, timeoutMs: TIMEOUT_MS, signal, maxBytes: MAX_ANSWER_BYTES }
        const answer = await this.#transport.request(body === undefined ? request : { ...request, body })
        this.#answered = true
        if (answer.status === 200 && !isPage(answer) && !answer.truncated) return answer
        error = serviceError(answer, subject, settings)
        askedMs = askedWait(answer, Date.now())
      } catch (caught) {
        if (!(caught instanceof NetworkError)) throw caught
        error = caught
        // A connection that was cut off had somebody at its other end.
        if (!caught.nobody) this.#answered = true
        if (caught.nobody && !this.#answered && tries >= MAX_TRIES_AT_NOBODY) throw this.#nobody(caught)
      }
      const tooMuch = canShrink && error instanceof ServiceError && error.heavy
      if (error.fate !== 'retry' || tooMuch || tries >= MAX_TRIES) throw error
      // Full jitter: clients that failed together must not come back together.
      const ms = askedMs ?? Math.random() * Math.min(MAX_BACKOFF_MS, 500 * 2 ** tries)
      throttle.rest(ms, askedMs === undefined ? error.message : 'the service asked for it')
    }
  }
}
