import type { MigrationPlan } from '../audit/migration-plan.ts'
import { VERSION } from '../version.ts'
import { number, plural, span } from './words.ts'

/** The text of the support request before a migration: origin, method, volume and speed. */
export function approvalRequest(plan: MigrationPlan, source: Readonly<Record<string, string>>): string {
  const { events, perMinute, lanes, batchEvents, ms } = plan
  const { first, last } = plan.span ?? {}
  const days =
    first === undefined ? '' : first === last ? `, of ${first} (UTC)` : `, from ${first} to ${last} (UTC)`
  return [
    'We would like to import historical events into our project.',
    `Origin: ${originOf(source)}`,
    `Method: POST /batch/ with historical_migration set to true, by posthaul ${VERSION}:`,
    `  gzip, oldest day first, one UTC day per request, at most ${number(batchEvents)} events in each,`,
    `  ${plural(lanes, 'request')} at a time; an event that is sent again keeps its uuid`,
    `Volume: ${plural(events, 'event')}${days}`,
    `Speed: at most ${number(perMinute)} events a minute, for about ${span(ms)}`,
  ].join('\n')
}

function originOf({ kind, preset, host }: Readonly<Record<string, string>>): string {
  if (kind === 'groups') return `groups of another project${host ? ` (${host})` : ''}`
  if (preset === 'posthog') return 'another installation of PostHog (other region or self-hosted)'
  return preset
    ? `an export of ${preset[0]!.toUpperCase()}${preset.slice(1)}`
    : 'our own records, converted with a mapping file'
}
