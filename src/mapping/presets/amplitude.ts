import { canonicalUuid, sessionUuidV7, uuidV5 } from '../../record/uuid.ts'
import { type Draft, Filtered, type Preset, type PresetOptions, type RecordView } from '../preset.ts'
import { describeDevice } from './amplitude/device.ts'
import { changeGroups, changeSender, joinGroups } from './amplitude/groups.ts'
import { eventText, requiredTime } from './required.ts'

/** The 16 ASCII bytes `amplitude_events`: for records without a uuid of their own. */
const NAMESPACE = '616d706c-6974-7564-655f-6576656e7473'

const PREFIX = '[Amplitude] '

/** What the browser library's own events did to an element. */
const ELEMENT_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['[Amplitude] Element Clicked', 'click'],
  ['[Amplitude] Element Changed', 'change'],
])

/** Amplitude: lines of the Export API's archive, or of a warehouse that holds the same fields. */
export const amplitude: Preset = {
  vendor: 'amplitude',
  rules: 1,
  empty: ['EMPTY', '(not set)', '(not provided)'],
  unpack: ['groups', 'group_properties'],
  recognises: [
    ['event_type', 'event_time', 'amplitude_id'],
    ['event_type', 'event_time', 'device_id'],
    ['event_type', 'event_time', 'user_id', 'session_id'],
    ['event_type', 'event_time', 'event_properties'],
    ['event_type', 'event_time', 'group_properties'],
  ],
  switches: { 'keep-session-events': 'keep session_start and session_end as events' },

  events: {
    '[Amplitude] Page Viewed': '$pageview',
    '[Amplitude] Screen Viewed': '$screen',
    '[Amplitude] Element Clicked': '$autocapture',
    '[Amplitude] Element Changed': '$autocapture',
    '[Amplitude] Rage Click': '$rageclick',
    '[Amplitude] Dead Click': '$dead_click',
    '[Amplitude] Web Vitals': '$web_vitals',
    $identify: '$set',
  },

  fields: {
    event_type: '@event',
    event_time: '@time',
    client_event_time: ['@time', 'client_event_time'],
    uuid: '@uuid',
    $insert_id: ['@insert_id', '$insert_id'],
    user_id: ['@user_id', '$amplitude_user_id'],
    device_id: ['@device_id', '$device_id', '$amplitude_device_id'],
    amplitude_id: ['@amplitude_id', 'amplitude_id'],
    event_id: '$amplitude_event_id',
    session_id: '@session_id',

    'event_properties.[Amplitude] Page Location': '$current_url',
    'event_properties.[Amplitude] Page URL': '@page_url',
    'event_properties.[Amplitude] Page Domain': '$host',
    'event_properties.[Amplitude] Page Path': '$pathname',
    'event_properties.[Amplitude] Page Title': 'title',
    'event_properties.[Amplitude] Screen Name': '$screen_name',
    'event_properties.[Amplitude] Viewport Height': '$viewport_height',
    'event_properties.[Amplitude] Viewport Width': '$viewport_width',
    'event_properties.referrer': '$referrer',
    'event_properties.referring_domain': '$referring_domain',
    // Listed before the record's own fields: a property that the user chose wins its name (plan, platform, ...).
    'event_properties.*': '*',

    country: '$geoip_country_name',
    region: '$geoip_subdivision_1_name',
    city: '$geoip_city_name',
    ip_address: '$ip',
    language: '$browser_language',
    version_name: '$app_version',
    platform: ['@platform', 'platform'],
    library: ['@library', 'library'],
    os_name: '@os_name',
    os_version: '@os_version',
    device_family: '@device_family',
    device_type: '@device_type',
    device_model: '$device_model',
    device_manufacturer: '$device_manufacturer',
    device_carrier: '$network_carrier',

    // The user's state at that moment. What was first seen of the user doesn't overwrite.
    'user_properties.initial_*': 'once:$*',
    'user_properties.*': 'set:*',
    groups: '@groups',
    group_properties: '@group_properties',
    '*': '*',
  },

  eventName: (record) => eventText(record, 'event'),
  uuid,
  distinctId,
  anonymousId,
  // UTC without a zone in Amplitude's own files; a source timezone is for a warehouse that moved them.
  timestamp: (record, { sourceTimezone }) => requiredTime(record, 'time', sourceTimezone),
  perform,
}

/** The same as in the service's importer, so that a re-import merges with its events. */
function uuid(record: RecordView): string | undefined {
  const own = canonicalUuid(record.text('uuid') ?? '')
  if (own !== undefined) return own
  const insertId = record.text('insert_id')
  if (insertId === undefined) return undefined
  return uuidV5(NAMESPACE, JSON.stringify([sender(record) ?? '', insertId]))
}

/** The scope in which an insert id and a session id are unique. */
function sender(record: RecordView): string | undefined {
  return record.text('device_id') ?? userOf(record)
}

function userOf(record: RecordView): string | undefined {
  const amplitudeId = record.text('amplitude_id')
  return record.text('user_id') ?? (amplitudeId === undefined ? undefined : `amplitude:${amplitudeId}`)
}

function distinctId(record: RecordView): string | undefined {
  if (record.text('event') === '$groupidentify') return changeSender(record)
  return record.text('user_id') ?? record.text('device_id') ?? userOf(record)
}

function anonymousId(record: RecordView): string | undefined {
  const isGroup = record.text('event') === '$groupidentify'
  return isGroup || record.text('user_id') === undefined ? undefined : record.text('device_id')
}

function perform(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  const source = record.text('event') ?? ''
  if ((source === 'session_start' || source === 'session_end') && !switches.has('keep-session-events')) {
    throw new Filtered('session_event')
  }
  if (source.startsWith('[Amplitude] Application ')) draft.event = source.slice(PREFIX.length)
  const action = ELEMENT_ACTIONS.get(source)
  if (action !== undefined) draft.text('$event_type', action)
  pageUrl(draft)
  describeDevice(record, draft)
  session(record, draft)
  if (source === '$groupidentify') changeGroups(record, draft)
  else joinGroups(record, draft)
}

/** The location has the query, the URL has not: the URL serves only where there is no location. */
function pageUrl(draft: Draft): void {
  draft.copy(draft.has('$current_url') ? '[Amplitude] Page URL' : '$current_url', 'page_url')
}

/** A session's id is its start in milliseconds, -1 outside a session; other numbers were made up by servers. */
function session(record: RecordView, draft: Draft): void {
  const id = record.text('session_id')
  if (id === undefined || id === '-1') return
  draft.copy('$amplitude_session_id', 'session_id')
  if (/^\d{12,13}$/.test(id)) {
    draft.text('$session_id', sessionUuidV7(Number(id), `amplitude:${sender(record) ?? ''}:${id}`))
  }
}
