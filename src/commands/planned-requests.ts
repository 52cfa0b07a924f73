import { z } from 'zod'
import { count } from '../result-parts.ts'
import { MS_PER_SECOND } from '../text/units.ts'
import { number, plural, span } from '../text/words.ts'

/** What is known of the requests of an import before it begins. */
export const plannedRequests = z.strictObject({
  in_turn: count.describe('one after another'),
  answer_ms: z.number().nullable().describe("the project's fastest answer"),
})

type PlannedRequests = z.infer<typeof plannedRequests>

export function requestsOf(turns: number, answerMs: number | undefined): PlannedRequests {
  return { in_turn: turns, answer_ms: answerMs === undefined ? null : Math.round(answerMs * 10) / 10 }
}

/** The least time of an import, and what sets it: the cap, or requests that wait for one another. */
export function leastTimeText(
  {
    seconds_at_cap: seconds,
    requests,
  }: { readonly seconds_at_cap: number; readonly requests: PlannedRequests },
  perMinute: number,
): string {
  const { in_turn: turns, answer_ms: answerMs } = requests
  const least = `at least ${span(seconds * MS_PER_SECOND)}`
  const isByRequests = answerMs !== null && turns * answerMs > (seconds - 1) * MS_PER_SECOND && seconds > 1
  return isByRequests
    ? `${least}: ${plural(turns, 'request')} follow one another, and PostHog takes ${number(Math.round(answerMs))} ms to answer; at ${number(perMinute)} events a minute at most`
    : `${least}, at ${number(perMinute)} events a minute`
}
