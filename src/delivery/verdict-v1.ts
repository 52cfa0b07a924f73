import { isPassing, type Reply, retryAfterMs } from '../http/index.ts'
import { type Answered, parseObject, wordsOf } from './reply-words.ts'
import { judgeNetwork, judgeOther, type Retry, type Split, type Stop } from './verdict.ts'

/** What happens to a request of Capture V1 next. */
export type V1Verdict =
  /** The service says of each event what became of it; see `judgeEvent`. `waitMs`: before events are sent again. */
  | { readonly kind: 'told'; readonly results: Readonly<Record<string, unknown>>; readonly waitMs?: number }
  | Retry
  | Split
  | Stop
  /** This service takes no request as posthaul makes it, or no import at all. */
  | { readonly kind: 'misfit'; readonly reason: string }

/** What the service says of one event. `word` is its own: it goes into summaries and rejects. */
export interface EventVerdict {
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
  const { status, body } = reply
  if (status >= 200 && status < 300) return judgeResults(reply, now)
  const { error, error_description: description } = parseObject(body) ?? {}
  const tag = typeof error === 'string' && WORD.test(error) ? error : undefined
  const said = tag === undefined ? wordsOf(body) : `${tag} ${wordsOf(textOf(description))}`.trim()
  const reason = `${status} ${said || 'and an empty answer'}`
  const isOverQuota = tag === 'billing_limit_exceeded' || (status === 429 && /billing limit/i.test(body))
  if (status === 402 || isOverQuota) return { kind: 'pause', reason }
  if (status === 401 || status === 403) return { kind: 'fatal', reason }
  // An answer without the service's own tag is a proxy's: it says nothing of any event.
  if (status === 413) return { kind: 'split', reason, ...(tag === undefined && { notOurService: true }) }
  const other = judgeOther(reply, reason, now)
  if (status === 404 || status === 405) return { ...other, noRoute: 'absent' }
  // Not configured, as self-hosted services are at first, or out of order: the answer is the same.
  if (status === 503 && tag === 'service_unavailable') return { ...other, noRoute: 'silent' }
  if (tag === undefined || status < 400 || status >= 500 || isPassing(status)) return other
  return { kind: OF_AN_EVENT.includes(tag) ? 'split' : 'misfit', reason }
}

function judgeResults(reply: Answered, now: number): V1Verdict {
  const { status, headers, body } = reply
  const results = parseObject(body)?.results
  if (typeof results !== 'object' || results === null || Array.isArray(results)) {
    const reason = `${status}, but not the service's answer: ${wordsOf(body) || 'an empty body'}`
    return { kind: 'retry', reason, notOurService: true }
  }
  const waitMs = retryAfterMs(headers['retry-after'], now)
  return {
    kind: 'told',
    results: results as Record<string, unknown>,
    ...(waitMs !== undefined && { waitMs }),
  }
}

/** Judges an entry of `results`, or undefined where an event has none. */
export function judgeEvent(entry: unknown): EventVerdict {
  if (typeof entry !== 'object' || entry === null) return UNKNOWN
  const { result, details } = entry as { result?: unknown; details?: unknown }
  if (result === 'ok' && (details === undefined || details === null)) return TAKEN
  const word = wordsOf(textOf(details))
  if (result === 'ok' || result === 'warning') return { fate: 'taken', word: word || 'warning' }
  if (result === 'retry') return { fate: 'again', word: word || 'retry' }
  if (result !== 'drop') return { fate: 'unknown', word: wordsOf(textOf(result)) }
  if (MISFITS.includes(word)) return { fate: 'misfit', word }
  return { fate: OVER_QUOTA.test(word) ? 'later' : 'refused', word: word || 'drop' }
}

/** Why an event is a reject: the service's own word, if it is one. */
export function rejectReason(word: string): string {
  return WORD.test(word) ? `refused_${word}` : 'refused_by_service'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
