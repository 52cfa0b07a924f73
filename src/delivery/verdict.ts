import type { Reply } from '../http/answer.ts'
import { isPassing, retryAfterMs } from '../http/retry-after.ts'

/** What happens to the batch next. */
export type Verdict =
  | { readonly kind: 'accepted' }
  /**
   * Send the same bytes again, after the `waitMs` that the server asks for. `notOurService`: nothing in the reply shows
   * that it comes from the service.
   */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly waitMs?: number
      readonly notOurService?: true
    }
  /** Some event of the batch is refused: send halves of it to find the event. */
  | { readonly kind: 'split'; readonly reason: string }
  /** The service kept no event of the batch, and another try now cannot help. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** The service takes no batch until the user changes something. */
  | { readonly kind: 'fatal'; readonly reason: string }

const WORDS_MAX = 300

/**
 * Judges a reply of the batch endpoint that came at `now` (ms since the epoch). A batch is accepted only if the
 * service's own JSON says so.
 */
export function judge(reply: Reply, now: number): Verdict {
  // A reset after the whole body was sent is tried again too: events that were stored merge, as the uuids are the same.
  if ('network' in reply) {
    const retry = { kind: 'retry', reason: reply.message } as const
    // A wrong certificate means a mistyped address, or a login portal on the way. A proxy that refuses or cannot be
    // reached means a mistake in the settings.
    const mistake = reply.network === 'tls' || reply.network === 'proxy'
    return mistake ? { ...retry, notOurService: true } : retry
  }
  const { status, body } = reply
  if (status >= 200 && status < 300) return judgeSuccess(status, body)
  const reason = `${status} ${wordsOf(body)}`.trimEnd()
  if (status === 401 || status === 403) return { kind: 'fatal', reason }
  if (status === 413) return { kind: 'split', reason }
  // An HTML page comes from a proxy. Splitting the batch because of it would turn good events into rejects.
  if (status === 400 || status === 422) {
    return isMarkup(body) ? { kind: 'retry', reason, notOurService: true } : { kind: 'split', reason }
  }
  if (status === 402 || (status === 429 && /billing limit/i.test(body))) return { kind: 'pause', reason }
  const waitMs = retryAfterMs(reply.headers['retry-after'], now)
  const retry = { kind: 'retry', reason, ...(waitMs !== undefined && { waitMs }) } as const
  return isPassing(status) ? retry : { ...retry, notOurService: true }
}

function judgeSuccess(status: number, body: string): Verdict {
  const answer = parseObject(body)
  const said = answer?.status
  if (answer === undefined || !(said === 1 || (typeof said === 'string' && said.toLowerCase() === 'ok'))) {
    const reason = `${status}, but not the service's answer: ${wordsOf(body) || 'an empty body'}`
    return { kind: 'retry', reason, notOurService: true }
  }
  const limited = answer.quota_limited
  // Over quota, the service says Ok too, but it drops the events.
  if (limited === undefined || limited === null || (Array.isArray(limited) && limited.length === 0)) {
    return { kind: 'accepted' }
  }
  const reason = `${status}, but over quota (${wordsOf(JSON.stringify(limited))}): the events were dropped`
  return { kind: 'pause', reason }
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isMarkup(body: string): boolean {
  return /^\s*</.test(body)
}

/** The server's own words on one line, short enough for a terminal and a rejects file. */
function wordsOf(body: string): string {
  const text = isMarkup(body) ? body.replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') : body
  // A terminal would obey control characters.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line
}
