import { number } from '../../text/words.ts'
import { leftOf, type QuotaThere } from '../project-side.ts'

/** What it means to be over quota. */
export const OVER_QUOTA = 'over quota, the service says Ok and drops events: look at the billing page'

/** That the project takes no more events. */
export function overText({ usage, limit }: QuotaThere): string {
  const standing =
    usage === null || limit === null ? '' : ` (${number(usage)} of ${number(limit)} in this period)`
  return `the project is over its quota of events${standing}`
}

/** Says how many of the needed events are beyond the rest of the quota. */
export function shortText(quota: QuotaThere, beyond: number): string {
  const left = leftOf(quota) ?? 0
  return `the import needs ${number(left + beyond)} events, and ${number(left)} are left of the project's quota in this period: beyond it the service drops events`
}
