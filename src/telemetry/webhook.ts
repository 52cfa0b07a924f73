import type { ExitName } from '../errors.ts'
import { deadline, untilAborted } from '../http/clock.ts'
import { Secret } from '../http/secret.ts'
import type { Transport } from '../http/transport.ts'
import { visible } from '../text/visible.ts'
import { span } from '../text/words.ts'
import type { Entry, FateCounts } from './entry.ts'

/** The version of the JSON, which docs/unattended.md has. Members are added, never renamed. */
const WEBHOOK_VERSION = 1
/** An error can repeat much of an answer. */
const MOST_WORDS = 600

const POST_MS = 5000
/** At the end of a run, what is under way gets so long before the last post, and the last post so long: 5 s in all. */
const BEFORE_LAST_MS = 2000
const LAST_MS = 3000

/** Whose run it is. */
export interface ToldRun {
  readonly command: string
  readonly host: string
  readonly startedAt: Date
}

/** An error as a user reads it. */
export interface ToldError {
  readonly message: string
  readonly hint: string | null
}

/** What is told of a run: that it began, that it has waited for long, or how it ended. */
export type RunNews =
  | { readonly event: 'start' }
  | {
      readonly event: 'pause'
      readonly cause: string
      readonly waitedMs: number
      readonly counts: FateCounts | null
    }
  | {
      readonly event: 'end'
      /** The run's last line. */
      readonly result: Entry
      readonly outcome: ExitName
      readonly error: ToldError | undefined
    }

/**
 * An address that JSON is posted to when a run begins, waits for long and ends. It is a secret: a message shows no more than its
 * host. Posts arrive in their order and hold up nothing but the end. The first that fails is a warning; nothing else comes of it.
 */
export class Webhook {
  readonly #url: URL
  readonly #run: ToldRun
  readonly #warn: (message: string) => void
  readonly #transport: Promise<Transport>
  readonly #gaveUp = new AbortController()
  #sent: Promise<void> = Promise.resolve()
  #failed = false

  constructor(address: Secret, run: ToldRun, warn: (message: string) => void) {
    this.#url = new URL(address.reveal())
    this.#run = run
    this.#warn = warn
    const { origin, pathname, search } = this.#url
    // A path as short as `/` is no secret, and would be taken out of every address.
    const parts = [pathname.replace(/\/+$/, ''), search].filter(({ length }) => length > 2)
    const secrets = parts.map((part) => new Secret(part, address.from))
    // Every command has telemetry, and few have an address to tell: the rest start without a client of HTTP.
    this.#transport = import('../http/transport.ts').then(
      (http) => new http.Transport({ origin, secrets, connections: 1 }),
    )
  }

  /** Posts news after those before it, without waiting for the answer. */
  tell(news: RunNews): void {
    const body = webhookBody(this.#run, news, new Date())
    this.#sent = this.#sent.then(() => this.#post(body, POST_MS, [this.#gaveUp.signal]))
  }

  /** Posts the last news. Resolves within 5 s. */
  async end(news: RunNews): Promise<void> {
    const timer = setTimeout(() => this.#gaveUp.abort(), BEFORE_LAST_MS)
    await this.#sent
    clearTimeout(timer)
    await this.#post(webhookBody(this.#run, news, new Date()), LAST_MS, [])
    await this.#transport.then(
      (transport) => transport.close(),
      () => undefined,
    )
  }

  /** Never throws, and ends in time whatever hangs. */
  async #post(body: string, ms: number, signals: readonly AbortSignal[]): Promise<void> {
    const { signal, release } = deadline(ms, signals)
    // A request that still looks for its host would not end by its signal alone.
    const problem = await untilAborted(this.#problem(body, ms, signal), signal)
    const said = signal.aborted ? `${this.#url.origin}: no answer in time` : problem
    release()
    if (said === undefined || this.#failed) return
    this.#failed = true
    this.#warn(`the webhook was not told: ${said}; the run itself is not affected`)
  }

  /** What went wrong; undefined if nothing did. */
  async #problem(body: string, timeoutMs: number, signal: AbortSignal): Promise<string | undefined> {
    const { origin, pathname, search } = this.#url
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const path = pathname + search
    try {
      const transport = await this.#transport
      const request = { method: 'POST', path, headers, body, timeoutMs, signal, maxBytes: 1000 } as const
      const { status } = await transport.request(request)
      if (status >= 300 && status < 400)
        return `${origin} redirects (${status}): give the address that it leads to`
      return status >= 200 && status < 300 ? undefined : `${origin} answered ${status}`
    } catch (error) {
      return (error as Error).message
    }
  }
}

/** The JSON, one object. Its `text` is what a chat shows. */
export function webhookBody(run: ToldRun, news: RunNews, at: Date): string {
  const { command, host, startedAt } = run
  const none = { result: null, exit_code: null, finished: null, seconds: null, counts: null, error: null }
  return JSON.stringify({
    version: WEBHOOK_VERSION,
    event: news.event,
    text: inChat([`posthaul ${command} on ${host}: ${whatHappened(news)}`, ...errorLines(news)].join('\n')),
    command,
    host,
    started_at: startedAt.toISOString(),
    at: at.toISOString(),
    ...none,
    waiting: null,
    ...membersOf(news),
  })
}

function membersOf(news: RunNews): Readonly<Record<string, unknown>> {
  if (news.event === 'start') return {}
  if (news.event === 'pause') {
    const { cause, waitedMs, counts } = news
    return { counts, waiting: { cause, seconds: Math.round(waitedMs / 1000) } }
  }
  const { exit_code, finished, seconds, counts } = news.result.members ?? {}
  const { message, hint } = news.error ?? {}
  const error = message === undefined ? null : { message: told(message), hint: hint ? told(hint) : null }
  return { result: news.outcome, exit_code, finished, seconds, counts, error }
}

function whatHappened(news: RunNews): string {
  if (news.event === 'start') return 'begun'
  if (news.event === 'end') return told(news.result.message)
  return `no progress for ${span(news.waitedMs)} (${told(news.cause)}); still trying`
}

function errorLines(news: RunNews): string[] {
  const { message, hint } = (news.event === 'end' && news.error) || {}
  return [message, hint].flatMap((line) => (line ? [told(line)] : []))
}

/** One line without control characters. Folders are left out: where keys and data lie is nobody's business elsewhere. */
function told(text: string): string {
  const line = text.split('\n')[0]!.replaceAll(/(?<![\w/:.])(?:~|\.{1,2})?\/(?:[^\s/'"]+\/)+/g, '…/')
  return visible(line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line)
}

/** Without what Slack would obey, such as `<!channel>` in a server's answer: https://api.slack.com/reference/surfaces/formatting */
function inChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
