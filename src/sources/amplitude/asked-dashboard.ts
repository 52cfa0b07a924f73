import type { ChartCall, VendorNames } from '../../charts/index.ts'
import type { Limit, RetryOptions } from '../../http/index.ts'
import { MS_PER_MINUTE, number, span } from '../../text/index.ts'
import type { Asking } from '../answer-bytes.ts'
import { Unanswerable } from '../unanswerable.ts'
import { type Expected, type VendorClient, VendorError } from '../vendor-client.ts'
import { COST_PER_5_MINUTES } from './event-segmentation.ts'

/**
 * What a project's requests may cost (amplitude.com/docs/apis/analytics/dashboard-rest): days times conditions times the cost
 * of the kind of chart. The 108,000 an hour that are documented besides can't be reached.
 */
export const DASHBOARD_LIMITS: readonly Limit[] = [
  { requests: COST_PER_5_MINUTES, perMs: 5 * MS_PER_MINUTE + 5000, why: "Amplitude's quota" },
]

/** What a question is asked with. */
export interface Dashboard {
  readonly client: VendorClient
  readonly retry: Omit<RetryOptions, 'signal'>
  readonly call: ChartCall
  readonly names: VendorNames
}

/** How a request of this cost is asked. Tells the user of a long wait. Throws Unanswerable for one that no quota allows. */
export function askingFor(
  { client, retry, call }: Pick<Dashboard, 'client' | 'retry' | 'call'>,
  cost: number,
): Asking {
  if (cost > COST_PER_5_MINUTES) {
    throw new Unanswerable(
      `a question that costs ${number(cost)} units is more than Amplitude's quota of ${number(COST_PER_5_MINUTES)}: ask for fewer days or steps`,
    )
  }
  const waitMs = client.limiter.leastMs(cost)
  if (waitMs > MS_PER_MINUTE) call.note(`waiting ${span(waitMs)} for Amplitude's quota`)
  return { signal: call.signal, retry: { ...retry, signal: call.signal }, cost, expected: notShown }
}

/** An event or a property that the project has not, or that is hidden or deleted, answers 400. */
const notShown: Expected = (status, words) =>
  status === 400 ? new Unanswerable(`Amplitude can't show this: ${words}`) : undefined

/** The answer has another form than is documented. */
export function otherShape(what: string): VendorError {
  return new VendorError(`Amplitude's answer ${what}`, { code: 'unavailable' })
}
