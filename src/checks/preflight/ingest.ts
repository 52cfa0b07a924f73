import type { Secret } from '../../http/secret.ts'
import { type Answer, Transport } from '../../http/transport.ts'
import { isHtmlPage } from '../../service/errors.ts'
import { BATCH_PATH, V1_PATH } from '../../service/send-events.ts'
import { KIB, MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import { span } from '../../text/words.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import type { Tools } from './subject.ts'

const say = findingsOf('ingest')
const WORDS = 200

/**
 * Whether the address for events takes events: asked by a batch that holds none, which the service refuses with 400
 * (`request holds no event`) before it looks at anything else. The answer's `Date` tells the service's clock. Of Capture
 * V1 it is asked only whether it is there.
 */
export async function checkIngest(
  origin: string,
  projectKey: Secret | undefined,
  via: 'batch' | 'v1',
  tools: Tools,
): Promise<Finding[]> {
  const { clock, signal, patienceMs: timeoutMs } = tools
  const transport = new Transport({ origin, secrets: projectKey ? [projectKey] : [], connections: 2 })
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', path, headers, body: JSON.stringify(body) } as const
    const sentAt = clock.wall()
    const answer = await transport.request({ ...request, timeoutMs, maxBytes: 64 * KIB, signal })
    return { answer, times: { date: answer.headers.date, sentAt, receivedAt: clock.wall() } }
  }
  const key = projectKey && { api_key: projectKey.reveal() }
  try {
    const [batch, v1] = await Promise.all([
      ask(BATCH_PATH, { ...key, historical_migration: true, batch: [] }),
      via === 'batch' ? undefined : ask(V1_PATH, {}),
    ])
    const v1Found = v1 ? [judgeV1(origin, v1.answer)] : []
    return [judge(origin, batch.answer), ...v1Found, ...clockFindings(origin, batch.times)]
  } catch (error) {
    const unknown = "this clock could not be compared with the service's"
    const cause = `${origin} gave no answer`
    return [say.error(`${origin} can't be reached`, becauseOf(error)), ofClock.note(unknown, { cause })]
  } finally {
    await transport.close()
  }
}

/** What an answer to a batch without events says of the address. */
function judge(origin: string, answer: Answer): Finding {
  const { status } = answer
  const cause = saidBy(answer)
  const isPage = isHtmlPage(answer)
  if (status === 401) {
    const remedy = 'take it from the project settings'
    return say.error(`${origin} refuses the project key`, { cause, remedy })
  }
  if (status === 429 || status >= 500) {
    const remedy = 'run it again later; over the billing limit of the organization the service drops events'
    return say.warning(`${origin} takes no events at the moment`, { cause, remedy })
  }
  if (isMissing(answer) && !isPage) {
    const remedy = 'set POSTHOG_INGEST_HOST to the address that the project settings show'
    return say.error(`${origin} has no ${BATCH_PATH}, so it takes no events`, { cause, remedy })
  }
  if ((status === 400 && !isPage) || isTaken(answer)) return say.ok(`${origin} answers`)
  const isForeign = isPage || (status >= 300 && status < 400) || status === 403 || status === 407
  const remedy = 'check the address; a sign-in page or a proxy may be in the way'
  return say[isForeign ? 'error' : 'warning'](`${origin} does not answer as the service does`, {
    cause,
    remedy,
  })
}

/** Some services take a batch without events. */
function isTaken({ status, body }: Answer): boolean {
  return status === 200 && /^\s*\{\s*"status"\s*:\s*(?:1|"ok")/i.test(body)
}

/** Whether Capture V1 is there, where it is to be used. What is wrong with the address itself is said above. */
function judgeV1(origin: string, answer: Answer): Finding {
  if (!isMissing(answer)) return say.ok(`${origin} has Capture V1`)
  return say.error(`${origin} has no Capture V1`, { cause: saidBy(answer), remedy: 'leave --via v1 out' })
}

const isMissing = ({ status }: Answer) => status === 404 || status === 405

function saidBy(answer: Answer): string {
  const { status, headers } = answer
  const page = headers.location?.split('?')[0]
  if (page) return `it answered ${status}, to ${answer.redact(page)}; nothing is sent on to another address`
  const words = answer.redact(answer.body.trim()).slice(0, WORDS)
  return `it answered ${status}${words === '' || isHtmlPage(answer) ? '' : `: ${words}`}`
}

/** Off by more than a request's own time and the second that `Date` is rounded to. */
const WARN_MS = MS_PER_MINUTE

/**
 * From here on a wrong clock costs events or money:
 * - What is younger than 48 hours is left for later, since the service can bill it as live. A clock that is ahead takes
 *   too young events for older ones, by as much as it is ahead.
 * - An hour of Amplitude's is whole two hours after its end, and a day of Mixpanel's after five days. A clock that is
 *   ahead freezes windows before all of their events are in them.
 * - AWS refuses requests that are signed more than 15 minutes off (`RequestTimeTooSkewed`), and other stores do too.
 * - Where the clock is behind, transform rejects events of the last day as too far ahead.
 *
 * The first and the second grow with every minute; the third is the one that has a limit, so it is the limit here.
 */
const FAIL_MS = 15 * MS_PER_MINUTE

const ofClock = findingsOf('clock')

/** When a request was sent and answered by this clock (ms since the epoch), and the `Date` of its answer. */
interface Exchange {
  readonly date: string | undefined
  readonly sentAt: number
  readonly receivedAt: number
}

/** How far this machine's clock is from that of a server. */
export function clockFindings(origin: string, { date, sentAt, receivedAt }: Exchange): Finding[] {
  // The header has whole seconds: on average the moment is half a second later.
  const there = Date.parse(date ?? '') + MS_PER_SECOND / 2
  if (Number.isNaN(there)) {
    const cause = `the answer of ${origin} has no Date`
    return [ofClock.note("this clock could not be compared with the service's", { cause })]
  }
  // The server wrote it at some moment between: what can be explained by that is no error of the clock.
  const slack = (receivedAt - sentAt) / 2 + MS_PER_SECOND / 2
  const ahead = (sentAt + receivedAt) / 2 - there
  const off = Math.max(0, Math.abs(ahead) - slack)
  if (off < WARN_MS) return [ofClock.ok("this clock agrees with the service's")]
  const text = `this clock is ${span(Math.round(off / MS_PER_MINUTE) * MS_PER_MINUTE)} ${ahead > 0 ? 'ahead of' : 'behind'} the service's`
  const cause =
    ahead > 0
      ? 'events younger than 48 hours count as older, and windows as final that are not'
      : 'older events count as younger than 48 hours, and new ones as too far ahead'
  const remedy = 'set the clock, for example by NTP (timedatectl set-ntp true)'
  return [off < FAIL_MS ? ofClock.warning(text, { cause, remedy }) : ofClock.error(text, { cause, remedy })]
}
