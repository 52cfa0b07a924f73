import type { Reply } from '../http/network-error.ts'
import { isPassing, retryAfterMs } from '../http/retry.ts'
import { isJsonObject, objectIn } from '../text/json.ts'
import { KIB } from '../text/units.ts'

/** An answer of any status. */
export type Answered = Extract<Reply, { status: number }>

const WORDS_MAX = 300
/** So many characters of a body are searched for words. */
const READ_MAX = 64 * KIB

/** True for a page of HTML: a proxy's, or a portal's. */
function isPage({ headers, body }: Answered): boolean {
  return isMarkup(body) || /^\s*text\/html\b/i.test(headers['content-type'] ?? '')
}

function isMarkup(body: string): boolean {
  return /^\s*</.test(body)
}

/** The server's own words on one line, without secrets, short enough for a terminal and a rejects file. */
function wordsOf(body: string, redact: (text: string) => string = String): string {
  // Of an answer of megabytes the patterns would overflow the engine's stack.
  const begin = redact(body.slice(0, READ_MAX))
  const text = isMarkup(begin) ? begin.replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') : begin
  // A terminal would obey control characters.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line
}

/**
 * Send the same bytes again, after the `waitMs` that the server asks for. `notOurService`: nothing in the reply shows that
 * it comes from the service. `noRoute`: a service that has no such route, or whose route is out of order, answers like this.
 */
export interface Retry {
  readonly kind: 'retry'
  readonly reason: string
  readonly waitMs?: number
  readonly notOurService?: true
  readonly noRoute?: true
}

/**
 * Some event of the request is refused, or the request is too large: send halves of it. `notOurService`: a proxy found it
 * too large, so that says nothing of any event.
 */
export interface Split {
  readonly kind: 'split'
  readonly reason: string
  readonly notOurService?: true
}

/** An answer after which the run stops. */
export type Stop =
  /** The service kept no event of the request, and another try now cannot help. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** The service takes no event under this key. */
  | { readonly kind: 'fatal'; readonly reason: string }

/** What happens to the batch next. */
export type Verdict = { readonly kind: 'accepted' } | Retry | Split | Stop

/**
 * Judges a reply of the batch endpoint that came at `now` (ms since the epoch). A batch is accepted only if the
 * service's own JSON says so.
 */
export function judge(reply: Reply, now: number): Verdict {
  if ('network' in reply) return judgeNetwork(reply)
  const { status, body, redact } = reply
  if (status >= 200 && status < 300) return judgeSuccess(reply)
  const reason = `${status} ${wordsOf(body, redact) || 'and an empty answer'}`
  if (status === 401 || status === 403) return { kind: 'fatal', reason }
  // A page comes from a proxy. Good events would become rejects because of it. The service takes 20 MiB, more than any
  // request has, and says in plain text which single event is too large.
  const page = isPage(reply)
  if (status === 413) return { kind: 'split', reason, ...(page && { notOurService: true }) }
  if (status === 400 || status === 422) {
    return page ? { kind: 'retry', reason, notOurService: true } : { kind: 'split', reason }
  }
  if (status === 402 || (status === 429 && /billing limit/i.test(body))) return { kind: 'pause', reason }
  return judgeOther(reply, reason, now)
}

/** A request that failed before its answer was complete. */
function judgeNetwork({ network, message }: Extract<Reply, { network: unknown }>): Retry {
  // A reset after the whole body was sent is tried again too: events that were stored merge, as the uuids are the same.
  const retry = { kind: 'retry', reason: message } as const
  // A wrong certificate means a mistyped address, or a login portal on the way. A proxy that refuses or cannot be
  // reached means a mistake in the settings.
  const mistake = network === 'tls' || network === 'proxy'
  return mistake ? { ...retry, notOurService: true } : retry
}

/** An answer that no rule of the route names: it passes, or it comes from something else. */
function judgeOther({ status, headers }: Answered, reason: string, now: number): Retry {
  const waitMs = retryAfterMs(headers['retry-after'], now)
  const retry = { kind: 'retry', reason, ...(waitMs !== undefined && { waitMs }) } as const
  return isPassing(status) ? retry : { ...retry, notOurService: true }
}

/** An answer that says that all is well, in other words than the service's. */
function notTheServices({ status, body, redact }: Answered): Retry {
  const reason = `${status}, but not the service's answer: ${wordsOf(body, redact) || 'an empty body'}`
  return { kind: 'retry', reason, notOurService: true }
}

function judgeSuccess(reply: Answered): Verdict {
  const { status, body, redact } = reply
  const answer = objectIn(body)
  const said = answer?.status
  if (answer === undefined || !(said === 1 || (typeof said === 'string' && said.toLowerCase() === 'ok')))
    return notTheServices(reply)
  const limited = answer.quota_limited
  // Over quota, the service says Ok too, but it drops the events.
  if (limited === undefined || limited === null || (Array.isArray(limited) && limited.length === 0)) {
    return { kind: 'accepted' }
  }
  const reason = `${status}, but over quota (${wordsOf(JSON.stringify(limited), redact)}): the events were dropped`
  return { kind: 'pause', reason }
}

/** What happens to a request of Capture V1 next. */
export type V1Verdict =
  /** The service says of each event what became of it; see `judgeEvent`. `waitMs`: before events are sent again. */
  | {
      readonly kind: 'told'
      readonly results: Readonly<Record<string, unknown>>
      readonly waitMs?: number
      readonly redact?: Answered['redact']
    }
  | Retry
  | Split
  | Stop
  /** This service takes no request as posthaul makes it, or no import at all. */
  | { readonly kind: 'misfit'; readonly reason: string }

/** What the service says of one event. `word` is its own: it goes into summaries and rejects. */
interface EventVerdict {
  readonly fate:
    | 'taken'
    /** Not stored, and never will be. */
    | 'refused'
    /** Not stored: send it again. */
    | 'again'
    /** Not stored: over a quota that other events do not count for. */
    | 'later'
    /** Not stored: the service is not one for imports. */
    | 'misfit'
    /** It may be stored: the official clients do not send it again, and only verify can tell. */
    | 'unknown'
  /** Empty if there is nothing to say. */
  readonly word: string
}

/** The event is stored, but its person is not: neither merged nor changed, nor is a group. */
export const PERSONLESS = 'person_processing_disabled'

/** One event of the request is bad, and the answer does not say which. */
const OF_AN_EVENT = [
  'request_parsing_error',
  'missing_event_uuid',
  'invalid_event_uuid',
  'duplicate_event_uuid',
]
const MISFITS = ['non_historical_import_drop', 'misrouted_event', 'non_ai_event']
const OVER_QUOTA = /_over_quota$|^ai_byte_rate_limited$/
const WORD = /^[a-z][a-z0-9_]{0,60}$/

const TAKEN: EventVerdict = { fate: 'taken', word: '' }
const UNKNOWN: EventVerdict = { fate: 'unknown', word: '' }

/** Judges a reply of Capture V1 that came at `now` (ms since the epoch). Only its `results` say that events are stored. */
export function judgeV1(reply: Reply, now: number): V1Verdict {
  if ('network' in reply) return judgeNetwork(reply)
  const { status, body, redact } = reply
  if (status >= 200 && status < 300) return judgeResults(reply, now)
  const { error, error_description: description } = objectIn(body) ?? {}
  const tag = typeof error === 'string' && WORD.test(error) ? error : undefined
  const said = wordsOf(tag === undefined ? body : `${tag} ${textOf(description)}`, redact)
  const reason = `${status} ${said || 'and an empty answer'}`
  const isOverQuota = tag === 'billing_limit_exceeded' || (status === 429 && /billing limit/i.test(body))
  if (status === 402 || isOverQuota) return { kind: 'pause', reason }
  if (status === 401 || status === 403) return { kind: 'fatal', reason }
  // An answer without the service's own tag is a proxy's: it says nothing of any event.
  if (status === 413) return { kind: 'split', reason, ...(tag === undefined && { notOurService: true }) }
  const other = judgeOther(reply, reason, now)
  if (status === 404 || status === 405) return { ...other, noRoute: true }
  // Not configured, as self-hosted services are at first, or out of order: the answer is the same.
  if (status === 503 && tag === 'service_unavailable') return { ...other, noRoute: true }
  if (tag === undefined || status < 400 || status >= 500 || isPassing(status)) return other
  return { kind: OF_AN_EVENT.includes(tag) ? 'split' : 'misfit', reason }
}

function judgeResults(reply: Answered, now: number): V1Verdict {
  const { headers, body, redact } = reply
  const results = objectIn(body)?.results
  if (!isJsonObject(results)) return notTheServices(reply)
  const waitMs = retryAfterMs(headers['retry-after'], now)
  return { kind: 'told', results, ...(redact && { redact }), ...(waitMs !== undefined && { waitMs }) }
}

/** Judges an entry of `results`, or undefined where an event has none. */
export function judgeEvent(entry: unknown, redact?: Answered['redact']): EventVerdict {
  if (typeof entry !== 'object' || entry === null) return UNKNOWN
  const { result, details } = entry as { result?: unknown; details?: unknown }
  if (result === 'ok' && (details === undefined || details === null)) return TAKEN
  const tag = textOf(details)
  const word = wordsOf(tag, redact)
  if (result === 'ok' || result === 'warning') return { fate: 'taken', word: word || 'warning' }
  if (result === 'retry') return { fate: 'again', word: word || 'retry' }
  if (result !== 'drop') return { fate: 'unknown', word: wordsOf(textOf(result), redact) }
  if (MISFITS.includes(tag)) return { fate: 'misfit', word }
  return { fate: OVER_QUOTA.test(tag) ? 'later' : 'refused', word: word || 'drop' }
}

/** Why an event is a reject: the service's own word, if it is one. */
export function rejectReason(word: string): string {
  return WORD.test(word) ? `refused_${word}` : 'refused_by_service'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
