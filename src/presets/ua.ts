import { childPlace } from '../mapping/explode.ts'
import type { Draft, IdDraft, Preset, RecordView } from '../mapping/preset.ts'
import { members } from '../record/json-values.ts'
import { uuidV5 } from '../record/uuid.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../text/units.ts'
import { foldClientNames, setSize } from './client.ts'
import { requiredTimeText } from './required.ts'

/** Amounts by their slots, and the properties that hold them in whole units of the currency. */
const AMOUNTS: ReadonlyArray<readonly [slot: string, property: string]> = [
  ['revenue', 'revenue'],
  ['tax', 'tax'],
  ['shipping', 'shipping'],
  ['item_revenue', 'revenue'],
]

const DECIMALS = 6

/** The export has amounts in millionths, as whole numbers. Each is there in whole units too, to the last digit. */
function setAmounts(record: RecordView, draft: Draft): void {
  for (const [slot, property] of AMOUNTS) {
    const text = record.text(slot)
    if (text !== undefined && /^-?\d{1,15}$/.test(text) && !draft.has(property))
      draft.property(property, wholeUnits(text))
  }
}

/** `49900000` is 49.9. Digits are moved, not computed. */
export function wholeUnits(millionths: string): string {
  const sign = millionths.startsWith('-') ? '-' : ''
  const digits = millionths.slice(sign.length).padStart(DECIMALS + 1, '0')
  const units = digits.slice(0, -DECIMALS).replace(/^0+(?=\d)/, '')
  const rest = digits.slice(-DECIMALS).replace(/0+$/, '')
  return sign + units + (rest === '' ? '' : `.${rest}`)
}

/** The 16 ASCII bytes `posthaul_ua_hits`: hits have no id of their own. */
const NAMESPACE = '706f7374-6861-756c-5f75-615f68697473'

/** Google's words for no value. */
const NOTHING = ['(not set)', '(none)', '(direct)', '(not provided)']

/** The names of hits. An event's is its action. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['PAGE', '$pageview'],
  ['SCREENVIEW', '$screen'],
  ['APPVIEW', '$screen'],
])

/** Lists that a hit has as they are, but for empty ones, which most hits have. */
const LISTS: ReadonlyArray<readonly [slot: string, property: string]> = [
  ['products', 'products'],
  ['promotions', 'promotions'],
  ['publishers', '$ua_hit_publisher_infos'],
  ['experiments', '$ua_hit_experiment'],
]

/** Universal Analytics: rows of BigQuery's ga_sessions_ tables; each hit of a session is an event. */
export const ua: Preset = {
  vendor: 'ua',
  rules: 1,
  ids: ['user', 'visitor', 'client'],
  explode: { member: 'hits' },
  empty: NOTHING,
  recognises: [
    ['fullVisitorId', 'visitId', 'hits'],
    ['visitStartTime', 'visitNumber', 'hits'],
  ],
  events: {},
  unpack: [
    'customDimensions',
    'hits.customDimensions',
    'hits.customMetrics',
    'hits.customVariables',
    'hits.product',
    'hits.promotion',
    'hits.publisher_infos',
    'hits.experiment',
  ],
  fields: {
    '(child)': '@child',
    fullVisitorId: ['@visitor', '$ua_full_visitor_id'],
    clientId: ['@client', '$ua_client_id'],
    userId: ['@user', '$ua_user_id'],
    visitId: ['@visit', '$ua_visit_id'],
    visitStartTime: ['@start', '$ua_visit_start_time'],
    visitNumber: '$ua_visit_number',
    customDimensions: '@dimensions',

    'hits.hitNumber': ['@number', '$ua_hit_number'],
    'hits.time': '@time',
    'hits.type': ['@type', '$ua_hit_type'],
    'hits.referer': '$referrer',
    'hits.page.pagePath': ['@path', '$ua_page_path'],
    'hits.page.hostname': ['@host', '$host'],
    'hits.page.pageTitle': 'title',
    'hits.page.*': '$ua_page_*',
    'hits.eventInfo.eventAction': ['@action', 'event_action'],
    'hits.eventInfo.eventCategory': ['@category', 'event_category'],
    'hits.eventInfo.eventLabel': 'event_label',
    'hits.eventInfo.eventValue': 'event_value',
    'hits.appInfo.screenName': '$screen_name',
    'hits.appInfo.name': '$app_name',
    'hits.appInfo.version': '$app_version',
    'hits.appInfo.id': '$app_namespace',
    'hits.appInfo.*': '$ua_app_*',
    'hits.transaction.transactionId': 'transaction_id',
    'hits.transaction.transactionRevenue': ['@revenue', '$ua_transaction_revenue'],
    'hits.transaction.transactionTax': ['@tax', '$ua_transaction_tax'],
    'hits.transaction.transactionShipping': ['@shipping', '$ua_transaction_shipping'],
    'hits.transaction.currencyCode': 'currency',
    'hits.transaction.*': '$ua_transaction_*',
    'hits.item.itemRevenue': ['@item_revenue', '$ua_item_revenue'],
    'hits.item.*': '$ua_item_*',
    'hits.customDimensions': '@hit_dimensions',
    'hits.customMetrics': '@metrics',
    'hits.customVariables': '@variables',
    'hits.product': '@products',
    'hits.promotion': '@promotions',
    'hits.publisher_infos': '@publishers',
    'hits.experiment': '@experiments',
    'hits.*': '$ua_hit_*',

    'trafficSource.source': 'utm_source',
    'trafficSource.medium': 'utm_medium',
    'trafficSource.campaign': 'utm_campaign',
    'trafficSource.keyword': 'utm_term',
    'trafficSource.adContent': 'utm_content',
    'trafficSource.adwordsClickInfo.gclId': 'gclid',
    'trafficSource.adwordsClickInfo.*': '$ua_ads_*',
    'trafficSource.*': '$ua_traffic_*',

    'device.browser': '$browser',
    'device.browserVersion': '$browser_version',
    'device.operatingSystem': '$os',
    'device.operatingSystemVersion': '$os_version',
    'device.deviceCategory': '$device_type',
    'device.language': '$browser_language',
    'device.mobileDeviceBranding': '$device_manufacturer',
    'device.mobileDeviceModel': '$device_model',
    'device.screenResolution': ['@screen', '$ua_device_screenResolution'],
    'device.*': '$ua_device_*',

    'geoNetwork.continent': '$geoip_continent_name',
    'geoNetwork.country': '$geoip_country_name',
    'geoNetwork.region': '$geoip_subdivision_1_name',
    'geoNetwork.city': '$geoip_city_name',
    'geoNetwork.latitude': '$geoip_latitude',
    'geoNetwork.longitude': '$geoip_longitude',
    'geoNetwork.*': '$ua_geo_*',

    'totals.*': '$ua_totals_*',
    '*': '$ua_*',
  },
  eventName,
  uuid,
  distinctId: (record) => said(record, 'user') ?? record.text('visitor') ?? record.text('client'),
  anonymousId: (record) => record.id('visitor') ?? record.id('client'),
  timestamp,
  perform,
}

/** The text of a slot, unless it says that there is nothing. */
function said(record: RecordView, slot: string): string | undefined {
  const text = record.text(slot)
  return text === undefined || NOTHING.includes(text) ? undefined : text
}

function eventName(record: RecordView): string | undefined {
  const type = record.text('type')?.toUpperCase()
  if (type === undefined) return undefined
  if (type === 'EVENT') return said(record, 'action') ?? said(record, 'category') ?? 'event'
  return NAMES.get(type) ?? type.toLowerCase()
}

/** Of a visit that goes on after midnight the second day has a row of its own: its hits may be counted anew. */
function uuid(record: RecordView): string {
  const number = record.text('number') ?? String(childPlace(record)?.number ?? '')
  const visitor = record.text('visitor') ?? record.text('client') ?? null
  return uuidV5(NAMESPACE, JSON.stringify([visitor, record.text('visit') ?? null, number, timestamp(record)]))
}

/** The visit's start in seconds, and how many milliseconds later the hit was. */
function timestamp(record: RecordView): number {
  const [start, later] = [requiredTimeText(record, 'start'), record.text('time') ?? '0']
  if (!/^\d{1,11}$/.test(start)) throw new RangeError(`not a time in seconds: ${start.slice(0, 60)}`)
  if (!/^\d{1,11}$/.test(later)) throw new RangeError(`not a time in milliseconds: ${later.slice(0, 60)}`)
  return Number(start) * MICROS_PER_SECOND + Number(later) * MICROS_PER_MS
}

function perform(record: RecordView, draft: IdDraft): void {
  nameDimensions(record, draft)
  for (const [slot, property] of LISTS) {
    // Empty ones are on most hits and say nothing.
    if (!/^\[\s*\]$/.test(record.json(slot) ?? '[]')) draft.copy(property, slot)
  }
  setAmounts(record, draft)
  setPage(record, draft)
  setSize(draft, record.text('screen'), '$screen')
  foldClientNames(draft, 'ua')
  // The visit is called after the second it began in, on both days of one that goes on after midnight.
  const id = record.text('visit')
  if (id !== undefined)
    draft.session({ id, owner: record.text('visitor') ?? draft.distinctId, start: undefined })
}

/** A hit tells host and path of its page. That it was https is not said: most sites were, by then. */
function setPage(record: RecordView, draft: Draft): void {
  const [host, path] = [said(record, 'host'), said(record, 'path')]
  if (host === undefined || path === undefined) return
  draft.text('$current_url', `https://${host}${path.startsWith('/') ? '' : '/'}${path}`)
}

/** Lists of {index, value} by their slots, and what a value is called before its index. A hit's goes before the visit's. */
const NUMBERED: ReadonlyArray<readonly [slot: string, name: string]> = [
  ['hit_dimensions', 'dimension'],
  ['metrics', 'metric'],
  ['dimensions', 'dimension'],
]

/** Gives custom dimensions and metrics the names that Universal Analytics had for them: `dimension1`, `metric2`. */
function nameDimensions(record: RecordView, draft: IdDraft): void {
  for (const [slot, name] of NUMBERED) {
    for (const element of record.elements(slot)) {
      const parts = new Map(members(element))
      const [index, value] = [bare(parts.get('index')), parts.get('value')]
      if (!/^\d{1,4}$/.test(index) || value === undefined)
        draft.unusable(`${slot} has an element without an index`)
      else if (!draft.has(name + index)) draft.property(name + index, value)
      else if (draft.json(name + index) !== value) draft.property(`$ua_${name}${index}`, value)
    }
  }
  for (const element of record.elements('variables')) {
    const parts = new Map(members(element))
    const [quoted, value] = [parts.get('customVarName'), parts.get('customVarValue')]
    if (!quoted?.startsWith('"') || value === undefined) {
      draft.unusable('customVariables has an element without a name')
      continue
    }
    const name = JSON.parse(quoted) as string
    const to = !draft.has(name) ? name : draft.json(name) === value ? undefined : `$ua_${name}`
    draft.parts.note('variables', { path: `${name}.customVarValue`, json: value, to, outranked: true })
    if (to !== undefined) draft.property(to, value)
    // Which of the five variables it was: its name says more.
    const index = parts.get('index')
    if (index !== undefined)
      draft.parts.note('variables', { path: `${name}.index`, json: index, to: undefined })
  }
}

function bare(json: string | undefined): string {
  return (json ?? '').replaceAll('"', '')
}
