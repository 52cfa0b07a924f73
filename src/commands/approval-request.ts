import type { MigrationPlan } from '../checks/check-data.ts'
import { PRESETS } from '../presets/index.ts'
import { fold } from '../text/fold.ts'
import { number, plural, span } from '../text/words.ts'
import { VERSION } from '../version.ts'

/** What the request says of a migration. */
type Requested = Pick<MigrationPlan, 'events' | 'perMinute' | 'lanes' | 'batchEvents' | 'ms' | 'span'>

/** The text of the support request before a migration: origin, method, volume and speed. */
export function approvalRequest(plan: Requested, source: Readonly<Record<string, string>>): string {
  const { events, perMinute, lanes, batchEvents, ms } = plan
  const { first, last } = plan.span ?? {}
  const days =
    first === undefined ? '' : first === last ? `, of ${first} (UTC)` : `, from ${first} to ${last} (UTC)`
  return [
    'We would like to import historical events into our project.',
    'Project: in the US or EU cloud, on a paid product analytics plan',
    `Origin: ${originOf(source)}`,
    `Method: posthaul ${VERSION}, with historical_migration set to true on every event:`,
    '  POST /batch/ (--via batch) or POST /i/v1/analytics/events (--via v1),',
    `  gzip, oldest day first, one UTC day per request, at most ${number(batchEvents)} events in each,`,
    `  ${plural(lanes, 'request')} at a time; an event that is sent again keeps its uuid`,
    `Volume: ${plural(events, 'event')}${days}`,
    `Speed: at most ${number(perMinute)} events a minute, for about ${span(ms)}`,
  ].join('\n')
}

/** What the service's own pages say of the request, beside what its interface asks for. */
export const APPROVAL_TODAY: readonly string[] = fold(
  "The service's pages say different things by their age (read in November 2026). The newest ask for a project in the US or EU cloud, a paid plan, and events at least 48 hours old, and name no request. Older ones ask to wait for approval, and to talk to sales above 20,000,000 events or 10,000 events a minute. With an approval you are right by both.",
  '',
)

function originOf({ kind, preset, host }: Readonly<Record<string, string>>): string {
  if (kind === 'groups') return `groups of another project${host ? ` (${host})` : ''}`
  if (preset === 'posthog') return 'another installation of PostHog (other region or self-hosted)'
  const title = PRESETS.find(({ name }) => name === preset)?.title
  return title === undefined || preset === 'events'
    ? 'our own records, converted with a mapping file'
    : `an export of ${title}`
}
