import type { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { type Clock, systemClock } from '../http/clock.ts'
import { NetworkError, utf8Text } from '../http/network-error.ts'
import { type Limit, RateLimiter, type Wait } from '../http/rate-limiter.ts'
import { Backoff } from '../http/retry.ts'
import { type Answer, Transport } from '../http/transport.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { parseOnce } from '../text/json.ts'
import { MIB, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../text/units.ts'
import { type AskedOf, isHtmlPage, MISSING_SCOPE, ServiceError, serviceError, shapeError } from './errors.ts'
import { CURRENT_KEY, type PersonalKey, personalKeySchema } from './personal-key.ts'
import { type QueryTurns, queryTurns } from './query-turns.ts'

/** The documented limits of all endpoints but query, for all requests of a key together. */
const REST_LIMITS: readonly Limit[] = [
  { requests: 480, perMs: MS_PER_MINUTE, why: 'the service allows 480 requests a minute' },
  { requests: 4800, perMs: MS_PER_HOUR, why: 'the service allows 4800 requests an hour' },
]

const TIMEOUT_MS = MS_PER_MINUTE
const OPTIONAL_MS = 10 * MS_PER_SECOND
/** Enough for any real page. Only 100 groups with a megabyte of properties each would not fit. */
const MAX_ANSWER_BYTES = 64 * MIB
const MAX_TRIES = 8
/** No limit of the service lasts longer: who is told to wait for more comes back later. */
const MAX_WAIT_MS = MS_PER_HOUR
// If no server has ever answered, the address is mistyped, or the server is just starting.
const MAX_TRIES_UNREACHED = 2

export interface ApiOptions {
  readonly settings: ApiSettings
  readonly signal: AbortSignal
  /** Called before every wait. */
  readonly onWait: (wait: Wait) => void
  readonly clock?: Clock
  /** The longest that an optional question takes, in milliseconds. */
  readonly optionalMs?: number
}

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  readonly subject: AskedOf
  /** The caller can send a smaller request: one that was too much is not tried again unchanged. */
  readonly canShrink?: boolean
  /** Of the query endpoint, which has limits of its own. */
  readonly turns?: QueryTurns
}

/** A project, and how it is asked. */
export interface AskedProject {
  readonly api: Api
  readonly projectId: string
}

/** The project API. Requests are authorised, kept within the limits and retried. Every refusal is a ServiceError. */
export class Api {
  readonly settings: ApiSettings
  readonly #transport: Transport
  readonly #options: ApiOptions
  readonly #clock: Clock
  readonly #rest: RateLimiter
  #answerMs: number | undefined
  /** A server has answered, with whatever status. */
  #answered = false
  #key: Promise<PersonalKey | undefined> | undefined

  constructor(options: ApiOptions) {
    const { settings, onWait, clock = systemClock } = options
    this.settings = settings
    this.#options = options
    this.#clock = clock
    this.#transport = new Transport({ origin: settings.origin.value, secrets: [settings.personalKey] })
    this.#rest = new RateLimiter({ limits: REST_LIMITS, clock, onWait })
  }

  /** The shortest time in which the server has answered, in milliseconds; undefined before its first answer. */
  get answerMs(): number | undefined {
    return this.#answerMs
  }

  get origin(): string {
    return this.settings.origin.value
  }

  /** GETs a path of the API. Resolves to an answer with status 200 and JSON. */
  async get(path: string, subject: AskedOf): Promise<Answer> {
    return this.#send({ path, subject, method: 'GET' })
  }

  /** POSTs a query. Resolves to an answer with status 200 and JSON, or 202 for a subject that `comesLater`. */
  async query(path: string, body: object, subject: AskedOf, canShrink: boolean): Promise<Answer> {
    const turns = queryTurns(this.origin, path, this.#clock)
    return this.#send({ method: 'POST', path, body, subject, canShrink, turns })
  }

  /** POSTs to a path of the API, again if no answer comes. Resolves to an answer with status 200 or 201 and JSON. */
  async post(path: string, body: object, subject: AskedOf): Promise<Answer> {
    return this.#send({ path, subject, method: 'POST', body })
  }

  /** What the key may do; undefined where the server doesn't say, such as an older one. It is asked once. */
  personalKey(isOptional = false): Promise<PersonalKey | undefined> {
    this.#key ??= this.#askKey(isOptional)
    return this.#key
  }

  async #askKey(isOptional: boolean): Promise<PersonalKey | undefined> {
    const subject = { what: 'the personal key', scope: 'any scope', isOptional }
    try {
      return this.read(await this.get(CURRENT_KEY, subject), personalKeySchema, subject.what)
    } catch (error) {
      // What stands against the key stands against the next question, too, and is said there.
      if (error instanceof ServiceError && error.fate !== 'retry') return undefined
      throw error
    }
  }

  /** Parses an answer's JSON with a schema. The error of an unexpected shape names the field. */
  read<T>(answer: Answer, schema: z.ZodType<T>, what: string): T {
    let value: unknown
    try {
      value = parseOnce(utf8Text(answer.bytes))
    } catch (cause) {
      throw shapeError(this.origin, what, answer.redact((cause as Error).message))
    }
    return this.check(value, schema, what)
  }

  /** Checks a parsed value with a schema, with the same errors as `read`. */
  check<T>(value: unknown, schema: z.ZodType<T>, what: string): T {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]!
    const problem = `${issue.path.join('.') || 'the top level'}: ${issue.message}`
    throw shapeError(this.origin, what, this.#transport.redact(problem))
  }

  /** Waits before the next look at an answer that comes later, or until the run ends. */
  pause(ms: number): Promise<void> {
    return this.#clock.sleep(ms, this.#options.signal)
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }

  async #send(call: Call): Promise<Answer> {
    const { turns, canShrink = false, subject } = call
    const clock = this.#clock
    // The number of tries ends them, not the time: the service may ask for waits of an hour.
    const backoff = new Backoff({ retryForMs: Number.POSITIVE_INFINITY, clock, random: Math.random })
    for (let tries = 1; ; tries++) {
      let startedAt = clock.now()
      try {
        return await this.#inTurn(call, () => {
          startedAt = clock.now()
          return this.#once(call)
        })
      } catch (error) {
        if (!(error instanceof PosthaulError) || error.fate !== 'retry') throw error
        const tooMuch = canShrink && error instanceof ServiceError && error.heavy
        const tooLong = (error.waitMs ?? 0) > MAX_WAIT_MS
        if (tooMuch || subject.isOptional || tooLong || tries >= MAX_TRIES) throw error
        if (tries >= MAX_TRIES_UNREACHED && !this.#answered) throw this.#unreachable(error)
        const ms = backoff.fail(startedAt, error.waitMs) ?? 0
        const held = turns ?? this.#rest
        held.hold(ms, error.waitMs === undefined ? error.message : 'the service asked for it')
      }
    }
  }

  async #inTurn({ turns }: Call, ask: () => Promise<Answer>): Promise<Answer> {
    const { signal, onWait: told } = this.#options
    if (turns) return turns.take(signal, { told, waitOf: waitOfLimit }, ask)
    await this.#rest.enter(signal)
    return ask()
  }

  /** Sends the request once. Throws unless the answer has status 200 or 201, and JSON. */
  async #once({ method, path, body, subject }: Call): Promise<Answer> {
    const { settings } = this
    const headers = {
      authorization: `Bearer ${settings.personalKey.reveal()}`,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    }
    const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) }
    const { signal, optionalMs = OPTIONAL_MS } = this.#options
    const timeoutMs = subject.isOptional ? optionalMs : TIMEOUT_MS
    const limits = { timeoutMs, maxBytes: MAX_ANSWER_BYTES }
    const askedAt = this.#clock.now()
    try {
      const answer = await this.#transport.request({ ...request, ...limits, signal })
      this.#answered = true
      this.#answerMs = Math.min(this.#answerMs ?? Number.POSITIVE_INFINITY, this.#clock.now() - askedAt)
      const { status } = answer
      const isTaken = status === 200 || status === 201 || (status === 202 && subject.comesLater === true)
      if (isTaken && !isHtmlPage(answer) && !answer.truncated) return answer
      const isUnclear = status === 403 && path !== CURRENT_KEY && !MISSING_SCOPE.test(answer.body)
      const key = isUnclear ? await this.personalKey(true).catch(() => undefined) : undefined
      throw serviceError(answer, subject, { settings, key, now: this.#clock.wall() })
    } catch (error) {
      // A connection that broke had a server at its other end.
      if (error instanceof NetworkError && !error.unreachable) this.#answered = true
      throw error
    }
  }

  #unreachable(cause: PosthaulError): PosthaulError {
    if (cause instanceof NetworkError && cause.kind === 'proxy') return cause
    const hint = `check ${this.settings.origin.from} for a typing error, and that the server runs`
    return new PosthaulError(cause.message, { code: cause.code, hint, cause })
  }
}

/** How long a refusal for a limit asks to wait. */
function waitOfLimit(error: unknown): number | undefined {
  return error instanceof ServiceError && error.status === 429 ? error.waitMs : undefined
}
