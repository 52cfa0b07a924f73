import { isPassing, type Reply, retryAfterMs } from '../http/index.ts'
import { type Answered, isPage, parseObject, wordsOf } from './reply-words.ts'

/**
 * Send the same bytes again, after the `waitMs` that the server asks for. `notOurService`: nothing in the reply shows that
 * it comes from the service. `noRoute`: a service that has no such route answers like this (`absent`), or one whose route is not
 * set up or out of order (`silent`).
 */
export interface Retry {
  readonly kind: 'retry'
  readonly reason: string
  readonly waitMs?: number
  readonly notOurService?: true
  readonly noRoute?: 'absent' | 'silent'
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
  const { status, body } = reply
  if (status >= 200 && status < 300) return judgeSuccess(status, body)
  const reason = `${status} ${wordsOf(body) || 'and an empty answer'}`
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
export function judgeNetwork({ network, message }: Extract<Reply, { network: unknown }>): Retry {
  // A reset after the whole body was sent is tried again too: events that were stored merge, as the uuids are the same.
  const retry = { kind: 'retry', reason: message } as const
  // A wrong certificate means a mistyped address, or a login portal on the way. A proxy that refuses or cannot be
  // reached means a mistake in the settings.
  const mistake = network === 'tls' || network === 'proxy'
  return mistake ? { ...retry, notOurService: true } : retry
}

/** An answer that no rule of the route names: it passes, or it comes from something else. */
export function judgeOther({ status, headers }: Answered, reason: string, now: number): Retry {
  const waitMs = retryAfterMs(headers['retry-after'], now)
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
