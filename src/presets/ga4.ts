import {
  type Draft,
  Filtered,
  type IdDraft,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import { isJson, members, objectJson } from '../record/json-values.ts'
import { KIND } from '../record/tape.ts'
import { textIn } from '../record/text.ts'
import { formatInstant } from '../record/time.ts'
import { uuidV5 } from '../record/uuid.ts'
import { foldClientNames, outrank } from './client.ts'
import { eventText, requiredTimeText } from './required.ts'

const NAMESPACE = '706f7374-6861-756c-5f67-61345f726f77' // the 16 bytes "posthaul_ga4_row"

const MICROSECONDS = /^\d{1,16}$/

/** Switch: events that Google makes by itself to count sessions and users. */
const DROP_SESSION_EVENTS = 'drop-session-events'
const SESSION_EVENTS = new Set(['session_start', 'first_visit', 'user_engagement'])

/** Event parameters that the service has a name for; the others keep theirs. */
const PARAMETERS = new Map([
  ['page_location', '$current_url'],
  ['page_referrer', '$referrer'],
  ['page_title', 'title'],
  ['firebase_screen', '$screen_name'],
])

/** What tells when the properties of the user were set, by their names. */
const TIMES = '$ga4_user_properties_set_at'

/** The service's own words for kinds of device. */
const DEVICE_TYPES = new Map([
  ['desktop', 'Desktop'],
  ['mobile', 'Mobile'],
  ['tablet', 'Tablet'],
])

/** GA4 and Firebase: rows of BigQuery's events_ tables, as JSON or out of Parquet. */
export const ga4: Preset = {
  vendor: 'ga4',
  rules: 2,
  ids: ['user_id', 'user_pseudo_id'],
  fields: {
    event_name: '@event_name',
    event_timestamp: '@event_timestamp',
    user_id: '@user_id',
    user_pseudo_id: ['@user_pseudo_id', 'user_pseudo_id'],
    user_first_touch_timestamp: '@first_touch',
    event_params: '@event_params',
    'event_params.key': '@flat',
    '"event_params.key"': '@flat',
    event_params_key: '@flat',
    user_properties: '@user_properties',
    items: '@items',
    stream_id: ['@stream_id', 'stream_id'],
    batch_page_id: ['@batch_page_id', 'batch_page_id'],
    batch_ordering_id: ['@batch_ordering_id', 'batch_ordering_id'],
    batch_event_index: ['@batch_event_index', 'batch_event_index'],
    event_bundle_sequence_id: ['@event_bundle_sequence_id', 'event_bundle_sequence_id'],

    'device.category': '@category',
    'device.mobile_brand_name': '$device_manufacturer',
    'device.mobile_model_name': '$device_model',
    'device.operating_system': '$os',
    'device.operating_system_version': '$os_version',
    'device.language': '$browser_language',
    'device.web_info.browser': '$browser',
    'device.web_info.browser_version': '$browser_version',
    'device.web_info.hostname': '$host',
    'device.web_info.*': 'device_web_info_*',
    // Rows from before there was web_info.
    'device.browser': '$browser',
    'device.browser_version': '$browser_version',
    'device.*': 'device_*',

    'geo.continent': '$geoip_continent_name',
    'geo.country': '$geoip_country_name',
    'geo.region': '$geoip_subdivision_1_name',
    'geo.city': '$geoip_city_name',
    'geo.*': 'geo_*',

    'app_info.id': '$app_namespace',
    'app_info.version': '$app_version',
    'app_info.*': 'app_info_*',

    // First touch: a property of the user that never changes.
    'traffic_source.name': 'once:$initial_utm_campaign',
    'traffic_source.medium': 'once:$initial_utm_medium',
    'traffic_source.source': 'once:$initial_utm_source',
    'traffic_source.*': 'traffic_source_*',

    'collected_traffic_source.manual_campaign_id': 'utm_id',
    'collected_traffic_source.manual_campaign_name': 'utm_campaign',
    'collected_traffic_source.manual_source': 'utm_source',
    'collected_traffic_source.manual_medium': 'utm_medium',
    'collected_traffic_source.manual_term': 'utm_term',
    'collected_traffic_source.manual_content': 'utm_content',
    'collected_traffic_source.manual_source_platform': 'utm_source_platform',
    'collected_traffic_source.manual_creative_format': 'utm_creative_format',
    'collected_traffic_source.manual_marketing_tactic': 'utm_marketing_tactic',
    'collected_traffic_source.*': '*', // gclid, dclid, srsltid

    'event_dimensions.hostname': '$host',
    'event_dimensions.*': 'event_dimensions_*',
    'ecommerce.*': 'ecommerce_*',
    'privacy_info.*': 'privacy_info_*',
    'user_ltv.*': 'user_ltv_*',
    '*': '*',
  },
  unpack: ['event_params', 'user_properties', 'items', 'session_traffic_source_last_click', 'publisher'],
  recognises: [
    ['event_name', 'event_timestamp', 'event_params'],
    ['event_name', 'event_timestamp', 'user_pseudo_id'],
  ],
  events: { page_view: '$pageview', screen_view: '$screen' },
  empty: ['(not set)', '(not provided)'],
  switches: {
    [DROP_SESSION_EVENTS]: 'leave out session_start, first_visit and user_engagement',
  },
  eventName: (record) => eventText(record, 'event_name'),
  uuid,
  distinctId: (record) => record.id('user_id') ?? record.id('user_pseudo_id'),
  anonymousId: (record) => record.id('user_pseudo_id'),
  timestamp,
  perform,
}

/** Rows have no id. The uuid is made of all that tells a row from others, so that a second extract gives the same. */
function uuid(record: RecordView): string {
  const parts = ROW_KEY.map((slot) => record.text(slot) ?? null)
  const parameters = fingerprint(entriesOf(record.elements('event_params')))
  const other = otherForm(record, 'event_params') ? [record.json('event_params')] : []
  return uuidV5(NAMESPACE, JSON.stringify([...parts, parameters, ...other]))
}

/** True when a slot for an array holds a value of another kind. It is counted, and kept as a property. */
function otherForm(record: RecordView, slot: string): boolean {
  const kind = record.kind(slot)
  return kind !== undefined && kind !== KIND.array && kind !== KIND.null
}

const ROW_KEY = [
  'stream_id',
  'user_pseudo_id',
  'event_timestamp',
  'event_name',
  'batch_page_id',
  'batch_ordering_id',
  'batch_event_index',
  'event_bundle_sequence_id',
]

/** When the user was first seen: a number of microseconds, which the service would take for no time. */
function setFirstTouch(record: RecordView, draft: Draft): void {
  const text = record.text('first_touch')
  if (text === undefined) return
  if (MICROSECONDS.test(text))
    draft.setOnce('user_first_touch_timestamp', JSON.stringify(formatInstant(Number(text))))
  else draft.copy('user_first_touch_timestamp', 'first_touch')
}

/** Always microseconds: guessing the unit by the number of digits would be wrong for early times. */
function timestamp(record: RecordView): number {
  const text = requiredTimeText(record, 'event_timestamp')
  if (!MICROSECONDS.test(text)) throw new RangeError(`not a time in microseconds: ${text.slice(0, 60)}`)
  return Number(text)
}

function perform(record: RecordView, draft: IdDraft, options: PresetOptions): void {
  if (record.kind('flat') !== undefined) {
    const why = 'event_params was taken apart: the event has a row for each of its parameters'
    throw new Rejection('parameters_apart', why)
  }
  if (options.switches.has(DROP_SESSION_EVENTS) && SESSION_EVENTS.has(record.text('event_name') ?? '')) {
    throw new Filtered('session_event')
  }
  const [parameters, known] = ['event_params', 'user_properties'].map((slot) => {
    if (otherForm(record, slot)) draft.copy(slot, slot)
    const odd = () => draft.unusable(`${slot} has an element without a key or a value`)
    const blank = (key: string) => draft.parts.note(slot, { path: key, json: 'null', to: key })
    return entriesOf(record.elements(slot), odd, blank)
  }) as [ParameterEntry[], ParameterEntry[]]
  accountFor(draft, 'event_params', parameters)
  // A parameter named like a column wins the name.
  for (const { key, json } of parameters) {
    const name = PARAMETERS.get(key) ?? key
    outrank(draft, name, json, `$ga4_${name}`)
  }
  accountFor(draft, 'user_properties', known)
  for (const { key, json } of known) draft.set(key, json)
  setTimes(draft, known)
  const category = record.text('category')
  if (category !== undefined) draft.text('$device_type', DEVICE_TYPES.get(category) ?? category)
  setFirstTouch(record, draft)
  setSession(record, draft, parameters)
  // Parquet has an empty list on every row that sells nothing.
  const items = record.json('items')
  if (items !== undefined && !/^\[\s*\]$/.test(items)) draft.copy('items', 'items')
  foldClientNames(draft, 'ga4')
}

/** Says of each value in a list what becomes of it. Of two with one name the later one counts. */
function accountFor(
  draft: IdDraft,
  slot: 'event_params' | 'user_properties',
  entries: readonly ParameterEntry[],
): void {
  const isEvent = slot === 'event_params'
  for (const [at, { key, json, path, others }] of entries.entries()) {
    const later = entries.slice(at + 1).filter((one) => one.key === key)
    const name = PARAMETERS.get(key) ?? key
    // Of a parameter, the one before the last is kept beside it.
    const beside = isEvent && later.length === 1 ? `$ga4_${name}` : undefined
    const to = later.length > 0 ? beside : isEvent ? name : `set:${key}`
    draft.parts.note(slot, { path, json, to, outranked: to === undefined })
    for (const [other, one] of others) {
      const isTime = !isEvent && other === `${key}.${SET_AT}`
      draft.parts.note(slot, { path: other, json: one, to: isTime ? TIMES : undefined })
    }
  }
}

/** When each property of the user was set, as the export has it: `$set` itself has no place for it. */
function setTimes(draft: Draft, known: readonly ParameterEntry[]): void {
  const times = known.flatMap(({ key, others }) =>
    others.filter(([path]) => path === `${key}.${SET_AT}`).map(([, json]) => [key, json] as const),
  )
  if (times.length > 0) draft.property(TIMES, objectJson(times))
}

/** ga_session_id is the session's start in seconds where nobody changed it, unique among the sessions of one device. */
function setSession(record: RecordView, draft: Draft, parameters: readonly ParameterEntry[]): void {
  const json = parameters.find(({ key }) => key === 'ga_session_id')?.json
  if (json === undefined) return
  const id = textIn(json)
  draft.session({ id, owner: record.text('user_pseudo_id') ?? draft.distinctId, start: undefined })
}

interface ParameterEntry {
  readonly key: string
  /** Its value as JSON text: a string, or a number with the digits it had. */
  readonly json: string
  /** Where its value is in the list: `plan.string_value`. */
  readonly path: string
  /** What its element holds besides: a path as above, and JSON text. */
  readonly others: ReadonlyArray<readonly [path: string, json: string]>
}

/** The member of a user property's value that says when it was set, in microseconds. */
const SET_AT = 'set_timestamp_micros'

/** The members of a value. One of them is filled; where an extract fills several, the first in this order counts. */
const KINDS = ['string_value', 'int_value', 'float_value', 'double_value']

/** BigQuery's JSON has 64-bit integers (and NaN) as strings, Parquet has numbers: both become numbers here. */
const QUOTED_NUMBER = /^"(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)"$/

/**
 * The filled entries among elements {key, value: {string_value, int_value, float_value, double_value}}, in order. `odd`
 * is called for each element of another form; one whose values are all null is empty, not odd: `blank` is told its key.
 */
export function entriesOf(
  elements: readonly string[],
  odd?: () => void,
  blank?: (key: string) => void,
): ParameterEntry[] {
  const entries: ParameterEntry[] = []
  for (const element of elements) {
    const parts = new Map(members(opened(element)))
    const key = textOf(parts.get('key'))
    const given = parts.get('value') ?? 'null'
    const kind = kindOf(given)
    if (key !== '' && kind !== undefined) entries.push(entryOf(key, kind, parts))
    else if (key === '' || !isEmptyValue(given)) odd?.()
    else blank?.(key)
  }
  return entries
}

function isEmptyValue(json: string): boolean {
  const value = opened(json)
  return value === 'null' || (value.startsWith('{') && members(value).every(([, one]) => one === 'null'))
}

/** The object that a text holds: some extracts write each element, or each value, as JSON text of its own. */
function opened(json: string): string {
  if (!/^"\s*\{/.test(json)) return json
  const text = (JSON.parse(json) as string).trim()
  return isJson(text) ? text : json
}

/** The entries as one text that is the same for every form of extract: sorted by key, numbers in one spelling. */
export function fingerprint(entries: readonly ParameterEntry[]): string {
  const rows = entries.map(({ key, json }) => JSON.stringify([key, canonical(json)]))
  return `[${rows.sort().join(',')}]`
}

function kindOf(json: string): string | undefined {
  const parts = new Map(members(opened(json)))
  return KINDS.find((kind) => (parts.get(kind) ?? 'null') !== 'null')
}

function entryOf(key: string, kind: string, element: ReadonlyMap<string, string>): ParameterEntry {
  const value = new Map(members(opened(element.get('value')!)))
  const json = value.get(kind)!
  const besides = (parts: ReadonlyMap<string, string>, known: readonly string[]) =>
    [...parts].filter(([name, one]) => !known.includes(name) && one !== 'null')
  return {
    key,
    json: kind === 'string_value' ? json : json.replace(QUOTED_NUMBER, unquoted),
    path: `${key}.${kind}`,
    others: [...besides(value, [kind]), ...besides(element, ['key', 'value'])].map(([name, one]) => [
      `${key}.${name}`,
      one,
    ]),
  }
}

/** The number without its quotes; with them where the service would refuse (1e400) or round it (over 2^53). */
function unquoted(quoted: string, number: string): string {
  const value = Number(number)
  const survives = /^-?\d+$/.test(number) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return survives ? number : quoted
}

function textOf(json: string | undefined): string {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : ''
}

function canonical(json: string): string {
  if (json.startsWith('"')) return JSON.parse(json) as string
  return /^-?\d+$/.test(json) ? json : String(Number(json))
}
