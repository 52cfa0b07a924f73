import { type Draft, Filtered, type Preset, type RecordView, Rejection } from '../mapping/preset.ts'
import { canonicalUuid } from '../record/uuid.ts'
import { foldClientNames, readUserAgent } from './client.ts'
import { eventText, requiredTime } from './required.ts'

/** What ids and properties of the vendor's begin with: a dash would have to be quoted in HogQL. */
const NAME = 'simple_analytics'

/** Simple Analytics: data points of its export API, page views and events, as CSV or JSON. */
export const simpleAnalytics: Preset = {
  vendor: 'simple-analytics',
  rules: 1,
  ids: ['session', 'uuid'],
  empty: ['(not set)'],
  recognises: [
    ['added_iso', 'hostname', 'path', 'uuid'],
    ['added_iso', 'hostname', 'path', 'session_id'],
    ['added_iso', 'hostname', 'datapoint'],
  ],
  events: { pageview: '$pageview' },

  fields: {
    datapoint: '@event',
    added_iso: '@time',
    added_unix: '@unix',
    uuid: '@uuid',
    session_id: ['@session', `$${NAME}_session_id`],
    is_robot: '@robot',
    hostname: ['@host', '$host'],
    path: ['@path', '$pathname'],
    // With or without its question mark.
    query: ['@query', 'query'],
    // The two members before it, joined.
    path_and_query: [],
    document_referrer: '$referrer',
    referrer_hostname: '$referring_domain',
    user_agent: '$raw_user_agent',
    browser_name: '$browser',
    browser_version: '$browser_version',
    os_name: '$os',
    os_version: '$os_version',
    device_type: '$device_type',
    country_code: '$geoip_country_code',
    lang_language: '@language',
    lang_region: '@region',
    screen_width: '$screen_width',
    screen_height: '$screen_height',
    viewport_width: '$viewport_width',
    viewport_height: '$viewport_height',
    'metadata.*': '*',
    '*': '*',
  },

  // Data points without a name are page views: the export has them apart from events.
  eventName: (record) => eventText(record, 'event') ?? (record.text('path') && 'pageview'),
  uuid: (record) => canonicalUuid(record.text('uuid') ?? ''),
  distinctId,
  anonymousId: () => undefined,
  timestamp: (record, { sourceTimezone }) =>
    requiredTime(record, record.text('time') === undefined ? 'unix' : 'time', sourceTimezone),
  perform,
}

/** A visit of one tab. The vendor knows no visitors, and none are made up. */
function distinctId(record: RecordView): string | undefined {
  const id = record.text('session') ?? record.text('uuid')
  if (id === undefined) throw new Rejection('distinct_id_missing', 'neither session_id nor uuid is there')
  return `sa:${id}`
}

function perform(record: RecordView, draft: Draft): void {
  if (/^(?:true|1)$/i.test(record.text('robot') ?? '')) throw new Filtered('robot')
  const [host, path] = [record.text('host'), record.text('path')]
  if (host !== undefined && path !== undefined) {
    const query = record.text('query')?.replace(/^(?=[^?])/, '?') ?? ''
    draft.text('$current_url', `https://${host}${path}${query}`)
  }
  const language = [record.text('language'), record.text('region')].filter((part) => part !== undefined)
  if (language.length > 0) draft.text('$browser_language', language.join('-'))
  readUserAgent(draft)
  foldClientNames(draft, NAME)
  draft.property('$process_person_profile', 'false')
}
