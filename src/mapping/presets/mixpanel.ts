import { isNumericTime, parseTime } from '../../record/time.ts'
import { zoneOffsetMicros } from '../../record/zone.ts'
import { type Draft, type Preset, type PresetOptions, type RecordView, Rejection } from '../preset.ts'
import {
  describeProfile,
  isProfile,
  PROFILE_FIELDS,
  profileEvent,
  profileSender,
  profileTime,
} from './mixpanel/profile.ts'
import { eventText, requiredTimeText } from './required.ts'

/** The 16 ASCII bytes `posthog_mixpanel`, as in the service's own importer: a re-import merges with its events. */
const NAMESPACE = '706f7374-686f-675f-6d69-7870616e656c'

/** An id that a device made for itself; the service knows no such prefix. */
const DEVICE_PREFIX = '$device:'

/** Switch: users that Mixpanel joined are joined in the service too; nothing can undo it there. */
const MERGE_DANGEROUSLY = 'merge-dangerously'

/** What the browser library's own events did to an element. */
const ELEMENT_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['$mp_click', 'click'],
  ['$mp_input_change', 'change'],
  ['$mp_submit', 'submit'],
])

const EMPTY = ['(not set)', '(not provided)', 'EMPTY']
const NOTHING = new Set(['null', '""', ...EMPTY.map((word) => JSON.stringify(word))])

/** Mixpanel: raw export lines `{"event","properties"}`, Engage API profiles `{"$distinct_id","$properties"}`. */
export const mixpanel: Preset = {
  vendor: 'mixpanel',
  rules: 1,
  unpack: ['properties.$distinct_ids'],
  recognises: [
    ['event', 'properties.time', 'properties.distinct_id'],
    ['event', 'properties.time', 'properties.$insert_id'],
    ['event', 'properties.time', 'properties.$device_id'],
    ['$distinct_id', '$properties'],
  ],
  empty: EMPTY,
  switches: {
    [MERGE_DANGEROUSLY]:
      'send $merge records as $merge_dangerously: persons they merge can never be told apart again',
  },

  events: {
    $mp_web_page_view: '$pageview',
    $mp_page_leave: '$pageleave',
    $mp_click: '$autocapture',
    $mp_input_change: '$autocapture',
    $mp_submit: '$autocapture',
    $mp_rage_click: '$rageclick',
    $mp_dead_click: '$dead_click',
    $ae_first_open: 'Application Installed',
    $ae_updated: 'Application Updated',
    // The link becomes an `$identify` generated from the anonymous id. What is left is the user's state.
    $identify: '$set',
    $merge: '$merge_dangerously',
  },

  fields: {
    event: '@event',
    'properties.time': '@time',
    'properties.$insert_id': '@insert_id',
    'properties.distinct_id': '@distinct_id',
    'properties.$distinct_id_before_identity': ['@before_identity', '$distinct_id_before_identity'],
    'properties.$user_id': ['@user_id', '$mixpanel_user_id'],
    'properties.$device_id': ['@device_id', '$device_id', '$mixpanel_device_id'],
    'properties.$identified_id': '@identified_id',
    'properties.$anon_id': '@anon_id',
    'properties.alias': ['@alias', 'alias'],
    'properties.$distinct_ids': '@distinct_ids',

    'properties.$city': ['$geoip_city_name', 'set:$geoip_city_name'],
    'properties.$region': ['$geoip_subdivision_1_name', 'set:$geoip_subdivision_1_name'],
    'properties.mp_country_code': ['$geoip_country_code', 'set:$geoip_country_code'],

    'properties.current_page_title': 'title',
    'properties.current_domain': '$host',
    'properties.current_url_path': '$pathname',
    'properties.$viewportHeight': '$viewport_height',
    'properties.$viewportWidth': '$viewport_width',
    'properties.mp_keyword': 'ph_keyword',

    'properties.$browser': ['$browser', 'set:$browser'],
    'properties.$browser_version': ['$browser_version', 'set:$browser_version'],
    'properties.$os': ['$os', 'set:$os'],
    'properties.$os_version': ['$os_version', 'set:$os_version'],
    'properties.$device': ['$device', 'set:$device'],
    'properties.$model': ['$device_model', 'set:$device_model'],
    'properties.$manufacturer': ['$device_manufacturer', 'set:$device_manufacturer'],

    // Older mobile libraries also send a build number as `$app_version`: the version itself comes first.
    'properties.$app_version_string': '$app_version',
    'properties.$app_build_number': '$app_build',
    'properties.$carrier': '$network_carrier',
    'properties.$wifi': '$network_wifi',

    'properties.$initial_*': ['*', 'once:*'],

    'properties.mp_lib': '$mixpanel_lib',
    // `$lib_version` and `$session_id` mean something else to the service: ours, and a UUIDv7.
    'properties.$lib_version': '$mixpanel_lib_version',
    'properties.$session_id': '$mixpanel_session_id',

    'properties.$mp_api_endpoint': [],
    'properties.$mp_api_timestamp_ms': '@received',
    'properties.mp_processing_time_ms': [],
    'properties.$mp_event_size': [],
    'properties.$import': [],
    'properties.$geo_source': [],
    'properties.mp_sent_by_lib_version': [],
    'properties.$had_persisted_distinct_id': [],
    'properties.token': [],
    'properties.*': '*',

    ...PROFILE_FIELDS,
    '*': '*',
  },

  eventName,
  uuid,
  distinctId,
  anonymousId,
  timestamp,
  clockGap,
  perform,
}

function eventName(record: RecordView): string | undefined {
  return eventText(record, 'event') ?? (isProfile(record) ? profileEvent(record) : undefined)
}

function uuid(record: RecordView): string | undefined {
  return record.uuidV5(NAMESPACE, 'insert_id')
}

function distinctId(record: RecordView): string | undefined {
  if (isProfile(record)) return profileSender(record)
  const event = record.text('event')
  if (event === '$merge') return mergedIds(record)[0]
  if (event === '$identify' && record.text('identified_id') !== undefined) return record.text('identified_id')
  const id = record.text('distinct_id')
  const before = record.text('before_identity')
  if (before !== undefined && (id === undefined || isDeviceMade(id))) return withoutPrefix(before)
  const found = id ?? record.text('user_id') ?? record.text('device_id')
  return found === undefined ? undefined : withoutPrefix(found)
}

function anonymousId(record: RecordView): string | undefined {
  const event = record.text('event')
  if (event === '$create_alias' || event === '$merge') return undefined
  const id = (event === '$identify' ? record.text('anon_id') : undefined) ?? record.text('device_id')
  return id === undefined ? undefined : withoutPrefix(id)
}

/** `$device:` ids, and the upper-case UUIDs of the old iOS library. */
function isDeviceMade(id: string): boolean {
  return id.startsWith(DEVICE_PREFIX) || (/^[A-Z0-9-]+$/.test(id) && /[A-Z]/.test(id))
}

function withoutPrefix(id: string): string {
  return id.startsWith(DEVICE_PREFIX) ? id.slice(DEVICE_PREFIX.length) : id
}

/**
 * Seconds, or milliseconds from 10,000,000,000 on; profiles and warehouse rows have text. Projects made before 2023
 * keep the wall clock of their zone as if it were UTC: `sourceTimezone` takes the offset out again.
 */
function timestamp(record: RecordView, { sourceTimezone }: PresetOptions): number {
  if (isProfile(record)) return profileTime(record)
  const text = requiredTimeText(record, 'time')
  const micros = parseTime(text, sourceTimezone)
  if (sourceTimezone === undefined || !isNumericTime(text)) return micros
  return micros - zoneOffsetMicros(micros, sourceTimezone)
}

/** Mixpanel's servers stamped the event with UTC when it came in. */
function clockGap(record: RecordView, instant: number): number | undefined {
  const received = record.text('received')
  return received !== undefined && isNumericTime(received) ? parseTime(received) - instant : undefined
}

function perform(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  if (isProfile(record)) describeProfile(record, draft, (json) => NOTHING.has(json))
  const source = record.text('event') ?? ''
  const action = ELEMENT_ACTIONS.get(source)
  if (action !== undefined) draft.text('$event_type', action)
  if (source === '$create_alias') alias(record, draft)
  if (source === '$merge') merge(record, draft, switches.has(MERGE_DANGEROUSLY))
}

function alias(record: RecordView, draft: Draft): void {
  const id = record.text('alias')
  if (id === undefined) throw new Rejection('alias_missing', 'a $create_alias record needs an alias')
  draft.text('alias', withoutPrefix(id))
}

function merge(record: RecordView, draft: Draft, allowed: boolean): void {
  if (!allowed) {
    throw new Rejection('merge_dangerously', `a $merge record is sent only with --with ${MERGE_DANGEROUSLY}`)
  }
  draft.text('alias', mergedIds(record)[1])
}

/** The two ids of a `$merge`: the second one's person goes into the first's. */
function mergedIds(record: RecordView): readonly [string, string] {
  const ids: unknown = JSON.parse(record.json('distinct_ids') ?? 'null')
  const [into, from] = Array.isArray(ids) ? ids : []
  if (typeof into !== 'string' || typeof from !== 'string' || into === '' || from === '') {
    throw new Rejection('distinct_id_missing', 'a $merge record needs two ids in $distinct_ids')
  }
  return [withoutPrefix(into), withoutPrefix(from)]
}
