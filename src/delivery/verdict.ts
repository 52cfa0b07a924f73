import { isPassing, retryAfterMs } from '../http/retry-after.ts'

/** What came back for one batch: an answer of any status, or the way the request died. */
export type Reply =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly network: string; readonly message: string }

/** What is to become of the batch. */
export type Verdict =
  | { readonly kind: 'accepted' }
  /**
   * Send the same bytes again, after the `waitMs` that the server asks for. `notOurService`: nothing in the reply shows
   * that the service is at the other end.
   */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly waitMs?: number
      readonly notOurService?: true
    }
  /** Some event in it is refused: find it. */
  | { readonly kind: 'split'; readonly reason: string }
  /** Nothing in it was kept, and trying again now cannot help. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** No batch will be taken until the user changes something. */
  | { readonly kind: 'fatal'; readonly reason: string }

const WORDS_MAX = 300

/**
 * Judges a reply of the batch endpoint that came at `now` (ms since the epoch). Only an answer that says so in the
 * service's own JSON is acceptance.
 */
export function judge(reply: Reply, now: number): Verdict {
  // A reset after the whole body went out is tried again too: what is stored of it merges, for the uuids are the same.
  if ('network' in reply) {
    const retry = { kind: 'retry', reason: reply.message } as const
    // A certificate that does not fit is a mistyped address, or a portal between us and the service. A proxy that
    // refuses, or is not there, is a mistake in the settings.
    const mistake = reply.network === 'tls' || reply.network === 'proxy'
    return mistake ? { ...retry, notOurService: true } : retry
  }
  const { status, body } = reply
  if (status >= 200 && status < 300) return judgeSuccess(status, body)
  const reason = `${status} ${wordsOf(body)}`.trimEnd()
  if (status === 401 || status === 403) return { kind: 'fatal', reason }
  if (status === 413) return { kind: 'split', reason }
  // An HTML page comes from a proxy: to split a batch because of it would turn good events into rejects.
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
    const reason = `${status}, but not the service's answer: ${wordsOf(body) || 'nothing at all'}`
    return { kind: 'retry', reason, notOurService: true }
  }
  const limited = answer.quota_limited
  // The status is Ok all the same, but what is over quota was dropped.
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

/** The server's own words, on one line, short enough for a terminal and a rejects file. */
function wordsOf(body: string): string {
  const text = isMarkup(body) ? body.replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') : body
  // A terminal would obey control characters.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line
}
