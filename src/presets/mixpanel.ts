import {
  type Draft,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import { isNumericTime, parseTime } from '../record/time.ts'
import { zoneOffsetMicros } from '../record/zone.ts'
import { describeElements } from './mixpanel/elements.ts'
import { anonymousId, distinctId, mergedIds, sessionOwner, userId, withoutPrefix } from './mixpanel/ids.ts'
import { describeProfile, isProfile, PROFILE_FIELDS, profileEvent, profileTime } from './mixpanel/profile.ts'
import { eventText, requiredTimeText } from './required.ts'

/** The 16 ASCII bytes `posthog_mixpanel`, as in the service's own importer: a re-import merges with its events. */
const NAMESPACE = '706f7374-686f-675f-6d69-7870616e656c'

/** Switch: users that Mixpanel joined are joined in the service too; nothing can undo it there. */
const MERGE_DANGEROUSLY = 'merge-dangerously'

const EMPTY = ['(not set)', '(not provided)', 'EMPTY']
const NOTHING = new Set(['null', '""', ...EMPTY.map((word) => JSON.stringify(word))])

/** Mixpanel: raw export lines `{"event","properties"}`, Engage API profiles `{"$distinct_id","$properties"}`. */
export const mixpanel: Preset = {
  vendor: 'mixpanel',
  rules: 2,
  ids: [
    'distinct_id',
    'before_identity',
    'user_id',
    'device_id',
    'identified_id',
    'anon_id',
    'anon_distinct_id',
  ],
  unpack: ['properties.$distinct_ids', 'properties.$elements', 'properties.$target'],
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
    'properties.$anon_distinct_id': '@anon_distinct_id',
    'properties.$had_persisted_distinct_id': '@had_persisted',
    'properties.alias': ['@alias', 'alias'],
    'properties.$distinct_ids': '@distinct_ids',

    'properties.$city': ['$geoip_city_name', 'set:$geoip_city_name'],
    'properties.$region': ['$geoip_subdivision_1_name', 'set:$geoip_subdivision_1_name'],
    'properties.mp_country_code': ['$geoip_country_code', 'set:$geoip_country_code'],

    'properties.title': '@own_title',
    'properties.current_page_title': ['@page_title', 'title'],
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
    'properties.$device_type': ['$device_type', 'set:$device_type'],
    'properties.$current_url': ['$current_url', 'set:$current_url'],
    'properties.$referrer': ['$referrer', 'set:$referrer'],
    'properties.$referring_domain': ['$referring_domain', 'set:$referring_domain'],
    'properties.$model': ['$device_model', 'set:$device_model'],
    'properties.$manufacturer': ['$device_manufacturer', 'set:$device_manufacturer'],

    // Older mobile libraries also send a build number as `$app_version`: the version itself comes first.
    'properties.$app_version_string': '$app_version',
    'properties.$app_build_number': '$app_build',
    'properties.$carrier': '$network_carrier',
    'properties.$wifi': '$network_wifi',

    'properties.$initial_*': ['*', 'once:*'],

    // The service deletes a list of elements; `$elements_chain` says the same.
    'properties.$elements': '@elements',
    'properties.$target': ['@target', '$target'],
    'properties.$el_text': ['@el_text', '$el_text'],
    'properties.$el_attr__href': ['@el_href', '$el_attr__href'],
    'properties.$el_tag_name': ['@el_tag', '$el_tag_name'],
    'properties.$el_classes': ['@el_classes', '$el_classes'],
    'properties.$el_id': ['@el_id', '$el_id'],
    'properties.$max_scroll_percentage': ['@max_scroll', '$max_scroll_percentage'],

    'properties.mp_lib': '$mixpanel_lib',
    // `$lib_version` and `$session_id` mean something else to the service: ours, and a UUIDv7.
    'properties.$lib_version': '$mixpanel_lib_version',
    'properties.$session_id': ['@session_id', '$mixpanel_session_id'],

    'properties.$mp_api_endpoint': [],
    'properties.$mp_api_timestamp_ms': '@received',
    'properties.mp_processing_time_ms': [],
    'properties.$mp_event_size': [],
    'properties.$import': [],
    'properties.$geo_source': [],
    'properties.mp_sent_by_lib_version': [],
    'properties.token': [],
    'properties.*': '*',

    ...PROFILE_FIELDS,
    '*': '*',
  },

  eventName,
  uuid: { slot: 'insert_id', namespace: NAMESPACE },
  distinctId,
  anonymousId,
  userId,
  timestamp,
  clockGap,
  perform,
}

function eventName(record: RecordView): string | undefined {
  return eventText(record, 'event') ?? (isProfile(record) ? profileEvent(record) : undefined)
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

function perform(record: IdView, draft: IdDraft, options: PresetOptions): void {
  const session = record.text('session_id')
  if (session !== undefined) {
    draft.session({ id: session, owner: sessionOwner(record, draft), start: undefined })
  }
  ownTitle(record, draft)
  if (isProfile(record)) describeProfile(record, draft, (json) => NOTHING.has(json))
  KINDS.get(record.text('event') ?? '')?.(record, draft, options)
}

/** A property that the user called `title` stays what it is; few have one, and the table serves all others. */
function ownTitle(record: RecordView, draft: Draft): void {
  const title = record.json('own_title')
  if (title === undefined) return
  draft.copy('title', 'own_title', 'current_page_title')
  if (!NOTHING.has(title)) draft.copy('current_page_title', 'page_title')
}

/** What the tables can't say of an event, by its name in the source. */
const KINDS: ReadonlyMap<string, NonNullable<Preset['perform']>> = new Map([
  ['$mp_click', element('click')],
  ['$mp_input_change', element('change')],
  ['$mp_submit', element('submit')],
  ['$mp_rage_click', element('click')],
  ['$mp_dead_click', element('click')],
  ['$mp_page_leave', scroll],
  ['$create_alias', alias],
  ['$merge', merge],
])

function element(action: string): (record: RecordView, draft: Draft) => void {
  return (record, draft) => describeElements(record, draft, action)
}

/** How far the page was read, as a share: Mixpanel's libraries say it in percent. */
function scroll(record: RecordView, draft: Draft): void {
  const share = Number(record.text('max_scroll') ?? 'none') / 100
  if (Number.isFinite(share)) draft.property('$prev_pageview_max_scroll_percentage', String(share))
}

function alias(record: RecordView, draft: Draft): void {
  const id = record.text('alias')
  if (id === undefined) throw new Rejection('alias_missing', 'a $create_alias record needs an alias')
  draft.text('alias', withoutPrefix(id))
}

function merge(record: RecordView, draft: Draft, { switches }: PresetOptions): void {
  if (!switches.has(MERGE_DANGEROUSLY)) {
    throw new Rejection('merge_dangerously', `a $merge record is sent only with --with ${MERGE_DANGEROUSLY}`)
  }
  draft.text('alias', mergedIds(record)[1])
}
