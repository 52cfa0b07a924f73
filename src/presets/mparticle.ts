import { childPlace } from '../mapping/explode.ts'
import { type Draft, Filtered, type Preset, type PresetOptions, type RecordView } from '../mapping/preset.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { foldClientNames, readUserAgent } from './client.ts'
import { requiredTimeText } from './required.ts'

/** The 16 ASCII bytes `posthaul_mpartic`: for events without a message id that is a UUID. */
const NAMESPACE = '706f7374-6861-756c-5f6d-706172746963'

const KEEP = {
  sessions: 'keep-session-events',
  development: 'keep-development',
}

/** Events that say nothing of what people did: the word they are counted by, and the switch that keeps them. */
const LEFT_OUT: ReadonlyMap<string, readonly [word: string, unless: string | undefined]> = new Map([
  ['session_start', ['session_event', KEEP.sessions]],
  ['session_end', ['session_event', KEEP.sessions]],
  ['network_performance', ['diagnostics', undefined]],
  ['breadcrumb', ['diagnostics', undefined]],
  // What they changed is in the attributes and identities of every later batch.
  ['user_attribute_change', ['user_change', undefined]],
  ['user_identity_change', ['user_change', undefined]],
])

/** What a batch without events becomes: it only tells what is known of the user. */
const PROFILE = '$set'

/** Ids of 64 bits by their slots: as numbers the service would round them. */
const LONG_IDS = ['mpid', 'batch_id', 'session_id', 'event_id', 'previous_mpid', 'current_mpid']

/** What a platform says of the system: a browser's is in its user agent. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['ios', 'iOS'],
  ['android', 'Android'],
  ['tvos', 'tvOS'],
  ['roku', 'Roku'],
  ['xbox', 'Xbox'],
])

/** mParticle: batches as JSON lines, as its feeds write them to a bucket; each event of a batch is an event. */
export const mparticle: Preset = {
  vendor: 'mparticle',
  rules: 1,
  ids: ['customer_id', 'mpid', 'previous_mpid'],
  explode: { member: 'events' },
  empty: [],
  recognises: [
    ['mpid', 'events', 'environment'],
    ['mpid', 'events', 'batch_id'],
    ['mpid', 'events', 'user_identities'],
  ],
  switches: {
    [KEEP.sessions]: 'keep session_start and session_end as events',
    [KEEP.development]: 'keep batches of the environment "development"',
  },
  events: {},
  fields: {
    '(child)': '@child',
    mpid: '@mpid',
    batch_id: '@batch_id',
    environment: ['@environment', '$mparticle_environment'],
    timestamp_unixtime_ms: ['@batch_time', '$mparticle_timestamp_unixtime_ms'],
    ip: '$ip',
    mp_deviceid: ['@device_id', '$device_id'],

    'user_identities.customer_id': ['@customer_id', '$mparticle_customer_id'],
    'user_identities.*': 'set:*',
    'user_attributes.*': 'set:*',

    'events.event_type': ['@event_type', '$mparticle_event_type'],
    'events.data.event_name': '@event_name',
    'events.data.screen_name': ['@screen_name', '$screen_name'],
    'events.data.timestamp_unixtime_ms': '@time',
    'events.data.source_message_id': ['@message_id', '$mparticle_source_message_id'],
    'events.data.session_uuid': ['@session_uuid', '$mparticle_session_uuid'],
    'events.data.session_id': '@session_id',
    'events.data.event_id': '@event_id',
    'events.data.session_start_unixtime_ms': ['@session_start', '$mparticle_session_start_unixtime_ms'],
    'events.data.application_transition_type': ['@transition', '$mparticle_application_transition_type'],
    'events.data.is_first_run': ['@is_first_run', '$mparticle_is_first_run'],
    'events.data.is_upgrade': ['@is_upgrade', '$mparticle_is_upgrade'],
    'events.data.previous_mpid': '@previous_mpid',
    'events.data.current_mpid': '@current_mpid',
    'events.data.currency_code': 'currency_code',
    'events.data.product_action.action': ['@action', 'action'],
    'events.data.product_action.*': '*',
    'events.data.promotion_action.action': ['@promotion', 'promotion_action'],
    'events.data.promotion_action.*': '*',
    'events.data.product_impressions': ['@impressions', 'product_impressions'],
    'events.data.custom_attributes.url': ['@url', 'url'],
    'events.data.custom_attributes.*': '*',
    'events.data.location.latitude': '$geoip_latitude',
    'events.data.location.longitude': '$geoip_longitude',
    'events.data.location.*': '$mparticle_location_*',
    'events.data.*': '$mparticle_*',
    'events.*': '$mparticle_*',

    'device_info.platform': ['@platform', '$mparticle_platform'],
    'device_info.http_header_user_agent': '$raw_user_agent',
    'device_info.os_version': '$os_version',
    'device_info.device_manufacturer': '$device_manufacturer',
    'device_info.device_model': '$device_model',
    'device_info.is_tablet': ['@is_tablet', '$mparticle_device_is_tablet'],
    'device_info.screen_width': '$screen_width',
    'device_info.screen_height': '$screen_height',
    'device_info.network_carrier': '$network_carrier',
    'device_info.locale_language': '$locale',
    'device_info.*': '$mparticle_device_*',

    'application_info.application_name': '$app_name',
    'application_info.application_version': '$app_version',
    'application_info.application_build_number': '$app_build',
    'application_info.package': '$app_namespace',
    'application_info.*': '$mparticle_app_*',

    'context.data_plan': [],
    'context.location.latitude': '$geoip_latitude',
    'context.location.longitude': '$geoip_longitude',
    'context.location.country_code': '$geoip_country_code',
    'context.location.region_code': '$geoip_subdivision_1_code',
    'context.location.city_name': '$geoip_city_name',
    'context.location.postal_code': '$geoip_postal_code',
    'context.location.*': '$mparticle_location_*',
    'context.*': '$mparticle_context_*',
    '*': '$mparticle_*',
  },
  eventName,
  uuid,
  distinctId: (record) => record.id('customer_id') ?? record.id('mpid'),
  anonymousId: (record) => record.id('previous_mpid') ?? record.id('mpid'),
  timestamp,
  perform,
}

function eventName(record: RecordView): string | undefined {
  const type = record.text('event_type')
  switch (type) {
    case undefined:
      return childPlace(record) ? undefined : PROFILE
    case 'custom_event':
      return record.text('event_name')
    case 'screen_view':
      return record.text('platform')?.toLowerCase() === 'web' ? '$pageview' : '$screen'
    case 'commerce_event':
      return commerceEvent(record)
    case 'application_state_transition':
      return applicationEvent(record)
    default:
      return type
  }
}

/** A message id that is a UUID is the event's; else its place in the batch tells it from all others. */
function uuid(record: RecordView): string {
  const own = canonicalUuid(record.text('message_id') ?? '')
  if (own !== undefined) return own
  const place = childPlace(record)
  const key = [
    record.text('batch_id') ?? null,
    record.text('mpid') ?? null,
    place === undefined ? null : place.number - 1,
    record.text('event_type') ?? null,
    timeText(record) ?? null,
  ]
  return uuidV5(NAMESPACE, JSON.stringify(key))
}

/** The event's own time; of one that has none the batch's. */
function timeText(record: RecordView): string | undefined {
  return record.text('time') ?? record.text('batch_time')
}

/** Always milliseconds: guessing the unit by the number of digits would be wrong for early times. */
function timestamp(record: RecordView): number {
  const text = timeText(record) ?? requiredTimeText(record, 'time')
  if (!/^\d{1,14}$/.test(text)) throw new RangeError(`not a time in milliseconds: ${text.slice(0, 60)}`)
  return Number(text) * MICROS_PER_MS
}

function perform(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  if (record.text('environment') === 'development' && !switches.has(KEEP.development))
    throw new Filtered('development')
  const [word, unless = ''] = LEFT_OUT.get(record.text('event_type') ?? '') ?? []
  if (word !== undefined && !switches.has(unless)) throw new Filtered(word)
  for (const slot of LONG_IDS) draft.text(`$mparticle_${slot}`, record.text(slot))
  draft.text('$os', SYSTEMS.get(record.text('platform')?.toLowerCase() ?? ''))
  if (record.text('is_tablet') === 'true') draft.text('$device_type', 'Tablet')
  if (draft.event === '$pageview') draft.copy('$current_url', 'url')
  foldClientNames(draft, 'mparticle')
  readUserAgent(draft)
  setSession(record, draft)
}

function setSession(record: RecordView, draft: Draft): void {
  const id = record.text('session_uuid') ?? record.text('session_id')
  const start = record.text('session_start')
  if (id === undefined || start === undefined || !/^\d{1,14}$/.test(start)) return
  const owner = record.text('device_id') ?? record.text('mpid') ?? draft.distinctId
  draft.session({ id, owner, start: Number(start) })
}

/** The names of the service's mobile libraries for what an app did. Others keep mParticle's. */
const TRANSITIONS: ReadonlyMap<string, string> = new Map([
  ['application_foreground', 'Application Opened'],
  ['application_background', 'Application Backgrounded'],
])

/** The name of a change of an app's state: its first run and an upgrade are events of their own. */
function applicationEvent(record: RecordView): string {
  const transition = record.text('transition')
  if (transition === undefined) return 'application_state_transition'
  if (transition !== 'application_initialized') return TRANSITIONS.get(transition) ?? transition
  if (record.text('is_first_run') === 'true') return 'Application Installed'
  return record.text('is_upgrade') === 'true' ? 'Application Updated' : transition
}

/** The name of an event of commerce: what was done with products, or with promotions, or that products were seen. */
function commerceEvent(record: RecordView): string {
  const [action, promotion] = [record.text('action'), record.text('promotion')]
  if (action !== undefined) return `commerce: ${action}`
  if (promotion !== undefined) return `commerce: promotion ${promotion}`
  return record.kind('impressions') === undefined ? 'commerce' : 'commerce: impression'
}
