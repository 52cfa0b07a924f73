import { CHILD, childPlace } from '../mapping/explode.ts'
import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../mapping/preset.ts'
import { KIND } from '../record/tape.ts'
import { uuidV5 } from '../record/uuid.ts'
import { zoneOffsetMicros } from '../record/zone.ts'
import { MICROS_PER_SECOND } from '../text/units.ts'
import { foldClientNames, setSize } from './client.ts'
import { requiredTime, requiredTimeText } from './required.ts'

const NOTHING: readonly string[] = []

/** Labels, pictures and sums that repeat other members. */
const REPEATED = [
  'browser',
  'browserCode',
  'browserIcon',
  'browserFamilyDescription',
  'continentCode',
  'countryFlag',
  'deviceTypeIcon',
  'goalConversions',
  'goalIcon',
  'language',
  'lastActionDateTime',
  'location',
  'operatingSystem',
  'operatingSystemCode',
  'operatingSystemIcon',
  'referrerSearchEngineIcon',
  'referrerSearchEngineUrl',
  'referrerSocialNetworkIcon',
  'referrerSocialNetworkUrl',
  'siteCurrencySymbol',
  'serverTimestamp',
  'visitConvertedIcon',
  'visitDurationPretty',
  'visitEcommerceStatusIcon',
  'visitLocalHour',
  'visitServerHour',
  'visitorTypeIcon',
]

/** What `export matomo` adds to every visit: where it came from. */
export const EXPORT_MEMBER = '(export)'

/** A visit of Live.getLastVisitsDetails, with one of its actions. */
const VISIT_FIELDS: Readonly<Record<string, Target>> = {
  [CHILD]: '@child',
  [EXPORT_MEMBER]: '@export',

  idSite: ['@idSite', '$matomo_site_id'],
  idVisit: ['@idVisit', '$matomo_visit_id'],
  visitorId: ['@visitorId', '$matomo_visitor_id'],
  userId: '@userId',
  firstActionTimestamp: '@firstAction',
  lastActionTimestamp: '@lastAction',
  truncatedActionsCount: ['@truncated', '$matomo_truncatedActionsCount'],

  // Masked by two bytes unless the owner says otherwise: no place and no person.
  visitIp: '$matomo_ip',
  siteName: '$matomo_site',
  browserName: '$browser',
  browserVersion: '$browser_version',
  browserFamily: '$matomo_browser_engine',
  operatingSystemName: '$os',
  operatingSystemVersion: '$os_version',
  deviceType: '$device_type',
  deviceBrand: '$device_manufacturer',
  deviceModel: '$device_model',
  resolution: '@resolution',
  languageCode: '$browser_language',
  continent: '$geoip_continent_name',
  country: '$geoip_country_name',
  countryCode: '@countryCode',
  region: '$geoip_subdivision_1_name',
  regionCode: '$geoip_subdivision_1_code',
  city: '$geoip_city_name',
  latitude: '$geoip_latitude',
  longitude: '$geoip_longitude',
  referrerUrl: '$referrer',
  referrerType: ['@referrerType', '$matomo_referrer_type'],
  referrerName: ['@referrerName', '$matomo_referrer_name'],
  referrerKeyword: ['@referrerKeyword', '$matomo_referrer_keyword'],
  'dimension*': ['*', 'set:*'],
  customVariables: '@customVariables',
  ...Object.fromEntries(REPEATED.map((name) => [name, NOTHING])),
  'plugins*': NOTHING,
  'total*': NOTHING,
  'serverDate*': NOTHING,
  'serverTimePretty*': NOTHING,
  '*': '$matomo_*',

  'actionDetails.type': '@type',
  'actionDetails.timestamp': '@timestamp',
  'actionDetails.serverTime': '@serverTime',
  'actionDetails.pageId': ['@pageId', '$matomo_page_id'],
  'actionDetails.idpageview': '$matomo_pageview_id',
  'actionDetails.pageIdAction': '$matomo_action_id',
  'actionDetails.url': '@url',
  'actionDetails.pageTitle': 'title',
  'actionDetails.eventCategory': ['@eventCategory', 'eventCategory'],
  'actionDetails.eventAction': ['@eventAction', 'eventAction'],
  'actionDetails.contentInteraction': ['@contentInteraction', 'contentInteraction'],
  'actionDetails.goalId': ['@goalId', 'goalId'],
  'actionDetails.goalName': ['@goalName', 'goalName'],
  'actionDetails.goalPageId': ['@goalPageId', '$matomo_page_id'],
  'actionDetails.orderId': ['@orderId', 'orderId'],
  'actionDetails.title': NOTHING,
  'actionDetails.subtitle': NOTHING,
  'actionDetails.icon*': NOTHING,
  'actionDetails.serverTimePretty': NOTHING,
  'actionDetails.timeSpentPretty': NOTHING,
  'actionDetails.bandwidth*': NOTHING,
  'actionDetails.*': '*',
}

const NAMESPACE = '706f7374-6861-756c-5f6d-61746f6d6f5f' // the 16 bytes "posthaul_matomo_"

const KEEP_GOALS = 'keep-goals'
const EVENT_CATEGORIES = 'event-categories'

/** Kinds of action and the names of their events; a kind of a plugin keeps its own. */
const NAMES = new Map([
  ['action', '$pageview'],
  ['search', 'site search'],
  ['outlink', 'outlink click'],
  ['download', 'file download'],
])

/** Matomo: visits of Live.getLastVisitsDetails, an event for each action; rows of its database in the same form. */
export const matomo: Preset = {
  vendor: 'matomo',
  rules: 1,
  ids: ['userId', 'visitorId'],
  readsBaseUrl: true,
  explode: { member: 'actionDetails', siblings },
  fields: VISIT_FIELDS,
  recognises: [['idSite', 'idVisit', 'visitorId', 'actionDetails']],
  events: {},
  empty: ['Unknown', 'unknown', 'UNK', 'unk', 'xx', 'Keyword not defined'],
  switches: {
    [KEEP_GOALS]: 'keep goals, each of which repeats another action, as "goal: <name>"',
    [EVENT_CATEGORIES]: 'name events "<category> - <action>" in place of "<action>"',
  },
  eventName,
  uuid,
  distinctId,
  anonymousId: (record) => record.id('visitorId'),
  timestamp,
  perform,
}

function eventName(record: RecordView, options: PresetOptions): string | undefined {
  const type = record.text('type')
  if (type === undefined) {
    throw new Rejection(
      'type_missing',
      'the record has no actionDetails with a type: it is no visit of Matomo',
    )
  }
  if (type === 'event') {
    const [category, action] = [record.text('eventCategory'), record.text('eventAction')]
    return options.switches.has(EVENT_CATEGORIES) && category !== undefined
      ? `${category} - ${action}`
      : action
  }
  if (type === 'content')
    return record.text('contentInteraction') === undefined ? 'content impression' : 'content interaction'
  if (type === 'goal') return `goal: ${record.text('goalName') ?? record.text('goalId') ?? ''}`
  return NAMES.get(type) ?? type
}

function distinctId(record: RecordView): string | undefined {
  if (record.kind('visitorId') === KIND.false) {
    throw new Rejection(
      'token_anonymous',
      'visitorId is false: the token of the export may not see visitors; export with one that has view access',
    )
  }
  return userId(record) ?? record.text('visitorId')
}

function userId(record: RecordView): string | undefined {
  return record.kind('userId') === KIND.false ? undefined : record.text('userId')
}

/** Every action has a row of its own in Matomo's tables, whose number is the key; goals and orders are told by others. */
function uuid(record: RecordView, options: PresetOptions): string | undefined {
  const [site, visit] = [Number(record.text('idSite')), Number(record.text('idVisit'))]
  const key = keyOf(record, options)
  if (key === undefined || !Number.isSafeInteger(site) || !Number.isSafeInteger(visit)) return undefined
  const base = baseUrl(record, options) ?? ''
  return uuidV5(NAMESPACE, JSON.stringify([base, site, visit, record.text('type'), key]))
}

function keyOf(record: RecordView, options: PresetOptions): string | undefined {
  switch (record.text('type')) {
    case 'goal':
      return `goal:${record.text('goalId') ?? ''}:${record.text('goalPageId') ?? ''}`
    case 'ecommerceOrder':
      return `order:${record.text('orderId') ?? ''}`
    case 'ecommerceAbandonedCart':
      // In UTC, so that rows of the database give the same.
      return `cart:${timestamp(record, options) / MICROS_PER_SECOND}`
    default:
      return record.text('pageId')
  }
}

function baseUrl(record: RecordView, options: PresetOptions): string | undefined {
  return options.baseUrl ?? exported(record, 'base_url')
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  const type = record.text('type')
  if (childPlace(record)?.number === 1) tellOfVisit(record, draft, options)
  if (type === 'goal' && !options.switches.has(KEEP_GOALS)) throw new Filtered('goal')
  setAddress(record, draft, type)
  setReferrer(record, draft)
  setSize(draft, record.text('resolution'), '$screen')
  const variables = record.json('customVariables')
  if (variables !== undefined && !/^(?:\[\s*\]|null|"")$/.test(variables))
    draft.copy('customVariables', 'customVariables')
  const country = record.text('countryCode')
  if (country !== undefined && country !== 'xx') draft.text('$geoip_country_code', country.toUpperCase())
  const start = Number(record.text('firstAction'))
  const visit = record.text('idVisit')
  if (visit !== undefined && start > 0) {
    draft.session({ id: visit, owner: record.text('visitorId') ?? draft.distinctId, start: start * 1000 })
  }
  foldClientNames(draft, 'matomo')
}

/** Once a visit. */
function tellOfVisit(record: RecordView, draft: Draft, options: PresetOptions): void {
  const lost = record.text('truncated')
  if (lost !== undefined && lost !== '0') {
    draft.unusable(
      'truncatedActionsCount: visits of which Matomo left actions out; raise visitor_log_maximum_actions_per_visit in its config and export them again',
    )
  }
  if (baseUrl(record, options) === undefined) {
    draft.unusable(
      'base_url: visits whose ids are made without it; name it in a mapping file, or ids of two Matomos can be the same',
    )
  }
}

/** A link's own address is where it led to; the page that it was on is a sibling's. */
function setAddress(record: RecordView, draft: Draft, type: string | undefined): void {
  const page = childPlace(record)?.page
  if (type === 'outlink' || type === 'download') {
    draft.copy(type === 'outlink' ? '$external_click_url' : 'url', 'url')
    if (typeof page === 'string') draft.text('$current_url', page)
  } else draft.copy('$current_url', 'url')
}

function setReferrer(record: RecordView, draft: Draft): void {
  const type = record.text('referrerType')
  if (type === 'direct') draft.text('$referrer', '$direct')
  if (type !== 'campaign') return
  const url = record.text('url') ?? ''
  for (const [name, slot] of CAMPAIGN) {
    const value = record.text(slot)
    // What the page's own address says is nearer to the event.
    if (value !== undefined && !url.includes(`${name}=`)) draft.text(name, value)
  }
}

const CAMPAIGN = [
  ['utm_campaign', 'referrerName'],
  ['utm_term', 'referrerKeyword'],
] as const

// An action's `timestamp` is the clock on the site's wall, written as if it were UTC. The visit's firstActionTimestamp and
// lastActionTimestamp are UTC. So the difference between the first action and the first of these is the site's offset.

/** Offsets of zones are whole quarters of an hour, up to 14 hours. */
const QUARTER = 900
const MOST_SHIFT = 14 * 3600
/** A visit and its first action are written one after the other. */
const SLACK = 120
/** By how much summer time changes an offset. On one island it is half an hour: there the zone must be named. */
const SUMMER_TIME = [3600, -3600]

/** Microseconds, by the visit's own clock; by the zone that the user or the export names where that does not tell. */
function timestamp(record: RecordView, options: PresetOptions): number {
  // Rows of the database have UTC.
  if (record.text('timestamp') === undefined && record.text('serverTime') !== undefined)
    return requiredTime(record, 'serverTime')
  const text = requiredTimeText(record, 'timestamp')
  if (!/^\d{1,11}$/.test(text)) throw new RangeError(`not a time in seconds: ${text.slice(0, 60)}`)
  const wall = Number(text)
  const shift = shiftAt(record, wall)
  if (shift !== undefined) return (wall - shift) * MICROS_PER_SECOND
  const zone = options.sourceTimezone ?? exported(record, 'timezone')
  if (zone === undefined) {
    throw new Rejection(
      'timestamp_zone_unknown',
      "the visit's times do not tell the site's time zone: name it with --source-timezone",
    )
  }
  return wall * MICROS_PER_SECOND - zoneOffsetMicros(wall * MICROS_PER_SECOND, zone)
}

/** Seconds that the wall was ahead of UTC at an action; undefined where the visit doesn't tell for certain. */
function shiftAt(record: RecordView, wall: number): number | undefined {
  const place = childPlace(record)
  const [begun, ended] = [Number(record.text('firstAction')), Number(record.text('lastAction'))]
  const shift = shiftOf(Number(place?.first) - begun)
  // The last action of a visit that was cut short is not the visit's last.
  if (shift === undefined || record.text('truncated') !== undefined || Number.isNaN(ended)) return shift
  const change = Number(place?.last) - ended - shift
  const summer = SUMMER_TIME.find((one) => Math.abs(change - one) <= SLACK)
  // A page that stays open puts off the end of a visit. Nothing puts it earlier.
  if (summer === undefined) return change <= SLACK ? shift : undefined
  const fits = [shift, shift + summer].filter(
    (one) => wall - one >= begun - SLACK && wall - one <= ended + SLACK,
  )
  return fits.length === 1 ? fits[0] : undefined
}

function shiftOf(gap: number): number | undefined {
  const shift = Math.round(gap / QUARTER) * QUARTER
  return Math.abs(gap - shift) <= SLACK && Math.abs(shift) <= MOST_SHIFT ? shift : undefined
}

/** For `(child)`: the first and the last time of a visit's actions, and of a link the page that it was on. */
function siblings(children: readonly string[]): (index: number) => Readonly<Record<string, unknown>> {
  type Action = Partial<Record<'type' | 'timestamp' | 'idpageview' | 'url', unknown>>
  const actions = children.map((json) => JSON.parse(json) as Action | null)
  const times = actions.map((action) => Number(action?.timestamp)).filter((time) => time > 0)
  const range = times.length === 0 ? {} : { first: times[0], last: times.at(-1) }
  const pages = new Map<unknown, unknown>()
  for (const action of actions) if (action?.type === 'action') pages.set(action.idpageview, action.url)
  return (index) => {
    const { type, idpageview } = actions[index] ?? {}
    const page = type === 'outlink' || type === 'download' ? pages.get(idpageview) : undefined
    return { ...range, ...(typeof page === 'string' && { page }) }
  }
}

/** What the export said of the visit; undefined for files of another origin. */
function exported(record: RecordView, name: 'base_url' | 'timezone'): string | undefined {
  const json = record.object('export')
  const value = json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
