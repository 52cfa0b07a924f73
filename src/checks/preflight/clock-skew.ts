import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import { type Finding, findingsOf } from '../finding.ts'

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

const say = findingsOf('clock')

/** When a request was sent and answered by this clock (ms since the epoch), and the `Date` of its answer. */
export interface Exchange {
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
    return [say.note("this clock could not be compared with the service's", { cause })]
  }
  // The server wrote it at some moment between: what can be explained by that is no error of the clock.
  const slack = (receivedAt - sentAt) / 2 + MS_PER_SECOND / 2
  const ahead = (sentAt + receivedAt) / 2 - there
  const off = Math.max(0, Math.abs(ahead) - slack)
  if (off < WARN_MS) return [say.ok("this clock agrees with the service's")]
  const text = `this clock is ${inWords(off)} ${ahead > 0 ? 'ahead of' : 'behind'} the service's`
  const cause =
    ahead > 0
      ? 'events younger than 48 hours count as older, and windows as final that are not'
      : 'older events count as younger than 48 hours, and new ones as too far ahead'
  const remedy = 'set the clock, for example by NTP (timedatectl set-ntp true)'
  return [off < FAIL_MS ? say.warning(text, { cause, remedy }) : say.error(text, { cause, remedy })]
}

function inWords(ms: number): string {
  const minutes = Math.round(ms / MS_PER_MINUTE)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
