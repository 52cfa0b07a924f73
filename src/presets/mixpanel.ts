import {
  type Draft,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../mapping/preset.ts'
import { Id } from '../record/id.ts'
import { canonicalJson, elements, members, objectJson } from '../record/json-values.ts'
import { GROUP_EVENT, groupSender } from '../record/rules.ts'
import { KIND } from '../record/tape.ts'
import { scalarText } from '../record/text.ts'
import { isNumericTime, parseTime } from '../record/time.ts'
import { zoneOffsetMicros } from '../record/zone.ts'
import { elementOf, elementsChain, type PageElement } from './elements-chain.ts'
import { changeGroup, eventText, requiredTime, requiredTimeText } from './required.ts'

/**
 * Profiles as the Engage API has them, `{"$distinct_id","$properties"}`; an export adds `$exported_at`, and for those
 * of groups their `$group_type`. A profile's time is its last visit, else the time of the export.
 */
const PROFILE_FIELDS: Readonly<Record<string, Target>> = {
  $distinct_id: ['@distinct_id', '@group_key'],
  $properties: '@profile',
  '$properties.$last_seen': '@profile_time',
  '$properties.*': [],
  $exported_at: '@profile_time',
  $group_type: '@group_type',
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['$email', 'email'],
  ['$name', 'name'],
])

export function isProfile(record: RecordView): boolean {
  return record.kind('profile') !== undefined
}

/** Whose profile it is; a group's event has an id of its own. */
function profileSender(record: IdView): Id | string | undefined {
  const [type, key] = [record.text('group_type'), record.text('group_key')]
  return type === undefined || key === undefined ? bareIdIn(record, 'distinct_id') : groupSender(type, key)
}

/** Writes what is known of a user or of a group. `isEmpty` tells values that mean nothing. */
function describeProfile(record: RecordView, draft: Draft, isEmpty: (json: string) => boolean): void {
  const known = record.entries('profile').map(([name, json]) => [NAMES.get(name) ?? name, json] as const)
  const type = record.text('group_type')
  if (type === undefined) {
    for (const [name, json] of known) draft.set(name, json)
    return
  }
  const told = known.filter(([, json]) => !isEmpty(json))
  changeGroup(draft, type, record.text('group_key') ?? '', objectJson(told))
}

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
  // The user of a device whose event belongs to the device itself.
  userId: (record) => bareIdIn(record, 'user_id'),
  timestamp,
  clockGap,
  perform,
}

function eventName(record: RecordView): string | undefined {
  const event = eventText(record, 'event')
  if (event !== undefined || !isProfile(record)) return event
  return record.text('group_type') === undefined ? '$set' : GROUP_EVENT
}

/**
 * Seconds, or milliseconds from 10,000,000,000 on; profiles and warehouse rows have text. Projects made before 2023
 * keep the wall clock of their zone as if it were UTC: `sourceTimezone` takes the offset out again.
 */
function timestamp(record: RecordView, { sourceTimezone }: PresetOptions): number {
  // In UTC, unlike the events of an old project.
  if (isProfile(record)) return requiredTime(record, 'profile_time')
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
    draft.session({ id: session, owner: bareId(record.id('device_id') ?? draft.id), start: undefined })
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
  ['$mp_click', describeElements('click')],
  ['$mp_input_change', describeElements('change')],
  ['$mp_submit', describeElements('submit')],
  ['$mp_rage_click', describeElements('click')],
  ['$mp_dead_click', describeElements('click')],
  ['$mp_page_leave', scroll],
  ['$create_alias', alias],
  ['$merge', merge],
])

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

/** An id that a device made for itself; the service knows no such prefix. */
const DEVICE_PREFIX = Buffer.from('$device:')

/** What Mixpanel's libraries generate: a UUID, or five groups of hexadecimal digits of any length. */
const GENERATED = /^[0-9a-f]{8,}(?:-[0-9a-f]+){4}$/i

function distinctId(record: IdView): Id | string | undefined {
  if (isProfile(record)) return profileSender(record)
  const event = record.text('event')
  if (event === '$merge') return mergedIds(record)[0]
  const identified = event === '$identify' ? bareIdIn(record, 'identified_id') : undefined
  if (identified !== undefined) return identified
  const id = record.id('distinct_id')
  const before = idBefore(record)
  if (before !== undefined && (id === undefined || isDeviceMade(id.text))) return bareId(before)
  return (id && bareId(id)) ?? bareIdIn(record, 'user_id') ?? bareIdIn(record, 'device_id')
}

/** The anonymous id that the record shows beside a user. */
function anonymousId(record: IdView): Id | string | undefined {
  const event = record.text('event')
  if (event === '$create_alias' || event === '$merge') return undefined
  const before = event === '$identify' ? idBeforeIdentify(record) : undefined
  if (before !== undefined) return withoutPrefix(before)
  const device = record.id('device_id')
  const id = device === undefined ? joinedDevice(record) : isDeviceId(device, record) ? device : undefined
  return id && bareId(id)
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

/** The id without the prefix, which was written twice where an export was imported again: it is one device all the same. */
function bareId(id: Id): Id {
  const bare = id.without(DEVICE_PREFIX)
  return bare === id ? id : bareId(bare)
}

function bareIdIn(record: IdView, slot: string): Id | undefined {
  const id = record.id(slot)
  return id && bareId(id)
}

function withoutPrefix(id: string): string {
  return bareId(Id.ofText(id)).text
}

/** The id that the event was sent with, where Mixpanel wrote another in its place. The service's importer reads text only. */
function idBefore(record: IdView): Id | undefined {
  return record.kind('before_identity') === KIND.string ? record.id('before_identity') : undefined
}

/**
 * Who a user was until they signed in. The browser library also sends it when one user follows another on a device
 * without a reset: then it is the other user, whom nothing may join with this one. A device's id tells the two apart.
 */
function idBeforeIdentify(record: RecordView): string | undefined {
  const given = record.text('anon_id')
  if (given !== undefined) return given
  const before = record.text('anon_distinct_id')
  if (before === undefined) return undefined
  const [id, device] = [withoutPrefix(before), record.text('device_id')]
  const isAnonymous =
    id !== before || device === undefined || id === withoutPrefix(device) || GENERATED.test(id)
  return isAnonymous ? id : undefined
}

/**
 * True for the id of a device. An older library made it of the distinct_id that was in the cookie, which may be a user's:
 * then only an id that looks generated is a device's.
 */
function isDeviceId(id: Id, record: RecordView): boolean {
  return record.text('had_persisted') !== 'true' || GENERATED.test(bareId(id).text)
}

/** The device of a user whom Mixpanel joined with it: one of the two ids is said to stand for the other. */
function joinedDevice(record: IdView): Id | undefined {
  const before = idBefore(record)
  if (before === undefined) return undefined
  const devices = [record.id('distinct_id'), before].filter((id) => id !== undefined && isOfDevice(id.text))
  return devices.length === 1 ? devices[0] : undefined
}

function isOfDevice(id: string): boolean {
  return withoutPrefix(id) !== id
}

/** `$device:` ids, and the upper-case UUIDs of the old iOS library. */
function isDeviceMade(id: string): boolean {
  return isOfDevice(id) || (/^[A-Z0-9-]+$/.test(id) && /[A-Z]/.test(id))
}

/**
 * Gives an event of the browser library what the service keeps of the element that it happened to. `$elements` has that
 * element and those around it, innermost first; libraries without it tell of the one element only.
 */
function describeElements(action: string): NonNullable<Preset['perform']> {
  return (record, draft) => {
    draft.text('$event_type', action)
    draft.property('$ce_version', '1')
    const pieces = record.elements('elements').filter((piece) => piece.startsWith('{'))
    const target = record.json('target')
    const own = target === undefined ? undefined : canonicalJson(target)
    // The target may be an element around the first one, such as the button of an icon.
    const around = own === undefined ? 0 : pieces.findIndex((piece) => canonicalJson(piece) === own)
    const at = Math.max(0, around)
    const found = pieces.map((piece, index) => pageElement(piece, index === at ? toldOf(record) : {}))
    const chain = elementsChain(found.length > 0 ? found : soleElement(record))
    if (chain !== '') draft.text('$elements_chain', chain)
    const given = record.json('elements')
    if (found.length === 0 && given !== undefined && given !== '[]')
      draft.copy('$mixpanel_elements', 'elements')
  }
}

/** What the event says of the element that it happened to. */
function toldOf(record: RecordView) {
  return { text: record.text('el_text'), href: record.text('el_href') }
}

function pageElement(json: string, { text, href }: Partial<ReturnType<typeof toldOf>>): PageElement {
  const known = new Map(members(json))
  const attributes = new Map<string, string>(href === undefined ? [] : [['href', href]])
  const id = scalarText(known.get('$id'))
  if (id !== undefined) attributes.set('id', id)
  for (const [name, value] of known) {
    const own = scalarText(value)
    if (name.startsWith('$attr-') && own !== undefined) attributes.set(name.slice('$attr-'.length), own)
  }
  return {
    tag: scalarText(known.get('$tag_name')) ?? '',
    classes: wordsIn(known.get('$classes')),
    attributes,
    text,
    nthChild: numberIn(known.get('$nth_child')),
    nthOfType: numberIn(known.get('$nth_of_type')),
  }
}

/** The element of a record without a list of them; none when it doesn't tell its tag. */
function soleElement(record: RecordView): PageElement[] {
  const tag = record.text('el_tag')
  if (tag === undefined) return []
  const classes = wordsIn(record.json('el_classes'))
  return [elementOf({ tag: tag.toLowerCase(), id: record.text('el_id'), classes, ...toldOf(record) })]
}

/** The classes in an array, or in one text. */
function wordsIn(json: string | undefined): string[] {
  const given = json?.startsWith('[') ? elements(json) : [json]
  return given.flatMap((one) => scalarText(one)?.split(/\s+/) ?? []).filter((word) => word !== '')
}

function numberIn(json: string | undefined): number | undefined {
  return json !== undefined && /^\d+$/.test(json) ? Number(json) : undefined
}
