import { systemClock, untilAborted } from '../http/clock.ts'
import { NetworkError } from '../http/network-error.ts'
import { Secret } from '../http/secret.ts'
import type { Answer, Transport } from '../http/transport.ts'
import { visible } from '../text/visible.ts'

/** What is posted, and as what. */
export interface PostDestination {
  /** Path and query. */
  readonly path: string
  readonly body: string
  readonly type: 'text/plain' | 'application/json'
}

/** A ping gets so long, its second try included. */
const PING_MS = 5000
/** At the end of a run, what is under way gets so long before the last ping, and the last ping so long: 5 s in all. */
const BEFORE_LAST_MS = 2000
const LAST_MS = 3000
const AGAIN_MS = 300
const SHOWN_CHARACTERS = 60

/**
 * An address that is told of a run. Pings arrive in their order and hold nothing up but the end, by 5 s at most. The first
 * one that fails is told; nothing else comes of it.
 */
export class Destination {
  readonly url: URL
  readonly #what: string
  readonly #warn: (message: string) => void
  readonly #transport: Promise<Transport>
  readonly #gaveUp = new AbortController()
  #sent: Promise<void> = Promise.resolve()
  #failed = false

  /** `what`: the address in a user's words, because it is never shown. */
  constructor(what: string, address: Secret, warn: (message: string) => void) {
    this.url = new URL(address.reveal())
    this.#what = what
    this.#warn = warn
    const { origin, pathname, search } = this.url
    // A path as short as `/` is no secret, and would be taken out of every address.
    const parts = [pathname.replace(/\/+$/, ''), search].filter(({ length }) => length > 2)
    const secrets = parts.map((part) => new Secret(part, address.from))
    // Every command has telemetry, and few have an address to tell: the rest start without a client of HTTP.
    this.#transport = import('../http/transport.ts').then(
      (http) => new http.Transport({ origin, secrets, connections: 1 }),
    )
  }

  /** Sends a ping after those before it. */
  post(post: PostDestination): void {
    this.#sent = this.#sent.then(() => this.#send(post, PING_MS, this.#gaveUp.signal))
  }

  /** Sends the last ping. */
  async end(post: PostDestination): Promise<void> {
    const timer = setTimeout(() => this.#gaveUp.abort(), BEFORE_LAST_MS)
    await this.#sent
    clearTimeout(timer)
    await this.#send(post, LAST_MS)
    await (await this.#transport).close()
  }

  /** Never throws, and ends in time whatever hangs. */
  async #send(post: PostDestination, ms: number, gaveUp?: AbortSignal): Promise<void> {
    const late = new AbortController()
    const abort = () => late.abort()
    const timer = setTimeout(abort, ms)
    gaveUp?.addEventListener('abort', abort)
    if (gaveUp?.aborted) abort()
    try {
      // A request that still looks for its host would not end by its signal alone.
      const problem = await untilAborted(this.#twice(post, ms, late.signal), late.signal)
      if (!late.signal.aborted) return this.#tell(problem)
      this.#tell(`${this.url.origin}: no answer in time`)
    } finally {
      clearTimeout(timer)
      gaveUp?.removeEventListener('abort', abort)
    }
  }

  /** What went wrong; undefined if nothing did. A lost ping is a false alarm, so it is tried again once. */
  async #twice(post: PostDestination, ms: number, signal: AbortSignal): Promise<string | undefined> {
    const first = await this.#once(post, ms, signal)
    if (!first?.mayPass || signal.aborted) return first?.problem
    await systemClock.sleep(AGAIN_MS, signal)
    return (await this.#once(post, ms, signal))?.problem
  }

  async #once(
    { path, body, type }: PostDestination,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly problem: string; readonly mayPass: boolean } | undefined> {
    const transport = await this.#transport
    const headers = { 'content-type': `${type}; charset=utf-8` }
    try {
      const request = { method: 'POST', path, headers, body, timeoutMs, signal, maxBytes: 1000 } as const
      const answer = await transport.request(request)
      const problem = problemOf(answer)
      const isBusy = answer.status >= 500 || answer.status === 429
      return problem === undefined ? undefined : { problem: `${this.url.origin} ${problem}`, mayPass: isBusy }
    } catch (error) {
      if (error instanceof NetworkError) return { problem: error.message, mayPass: error.fate === 'retry' }
      const said = transport.redact(error instanceof Error ? error.message : String(error))
      return { problem: `${this.url.origin}: ${said}`, mayPass: false }
    }
  }

  #tell(problem: string | undefined): void {
    if (problem === undefined || this.#failed) return
    this.#failed = true
    this.#warn(`${this.#what} was not told: ${problem}; the run itself is not affected`)
  }
}

function problemOf({ status, body, redact }: Answer): string | undefined {
  if (status >= 300 && status < 400) return `redirects (${status}): give the address that it leads to`
  if (status < 200 || status >= 300) return `answered ${status}`
  // healthchecks.io's way to say that there is no such check, or that it is asked too often.
  return /^OK \(/.test(body) ? `answered "${visible(redact(body).slice(0, SHOWN_CHARACTERS))}"` : undefined
}
