import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import type { SideTable } from '../mapping/side-table.ts'
import { isJson, members } from '../record/json-values.ts'
import { textIn } from '../record/text.ts'
import { parseTime, timeOrNone } from '../record/time.ts'
import { canonicalUuid, POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { foldClientNames, outrank, setSize } from './client.ts'
import { requiredTime } from './required.ts'

/** What `data_type` says; strings are 1. */
const NUMBER = '2'
const BOOLEAN = '3'
const ARRAY = '5'

/** A column of a row of event_data or session_data, as text; undefined where it is empty. */
type Column = (name: string) => string | undefined

/**
 * The value of a row as JSON; undefined for none. A number has its text beside it, with four decimals; booleans and
 * arrays are text alone (saveEventData.ts of umami). The column that holds the value is asked for last.
 */
function dataValue(column: Column): string | undefined {
  const type = column('data_type')
  const number = column('number_value')
  if (type === NUMBER && isNumber(number)) return number
  const date = column('date_value')
  if (date !== undefined) return JSON.stringify(date)
  const text = column('string_value')
  if (text === undefined) return number === undefined ? undefined : JSON.stringify(column('number_value'))
  if (type === BOOLEAN && (text === 'true' || text === 'false')) return text
  // Line breaks stand between its values, if anywhere; a row has no line break.
  return type === ARRAY && isJson(text) ? text.replace(/[\r\n]/g, ' ') : JSON.stringify(text)
}

/** True for text that is a number in JSON too. */
function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)
}

/** Many rows of an event: one object of all that was sent with it. */
const EVENT_DATA: SideTable = {
  name: 'event_data',
  help: 'without it, events lack what was sent with them',
  on: { 'event_id|website_event_id': ['event_id'] },
  as: 'event_data',
  several: (held = '{}', row) => {
    const column = columnsOf(row)
    const value = dataValue(column)
    const key = column('data_key')
    if (key === undefined || value === undefined) return held
    return `${held.slice(0, -1)}${held === '{}' ? '' : ','}${JSON.stringify(key)}:${value}}`
  },
  expected: false,
}

/** The first event of each visit: rows say to which visit they belong, not when it began, and come in any order. */
const VISITS: SideTable = {
  name: 'visits',
  help: 'when each visit began',
  on: { visit_id: ['visit_id'] },
  as: 'visit',
  ofRecords: ['created_at'],
  several: (held, row) => (held === undefined || instantOf(row) < instantOf(held) ? row : held),
  expected: false,
}

/** Only for comparison: times of one file are of one zone. One that can't be read comes last. */
function instantOf(row: string): number {
  return timeOrNone(columnsOf(row)('created_at') ?? '') ?? Number.POSITIVE_INFINITY
}

function columnsOf(row: string): Column {
  const columns = new Map(members(row))
  return (name) => {
    const json = columns.get(name)
    if (json === undefined || json === 'null' || json === '""') return undefined
    return textIn(json)
  }
}

/** Switch: anonymous visitors, who are others each month. */
const ANONYMOUS_PERSONS = 'anonymous-persons'

/** What `event_type` says; 2 is an event by its own name. */
const EVENTS: ReadonlyMap<string, string> = new Map([
  ['1', '$pageview'],
  ['3', 'link click'],
  ['4', 'pixel view'],
  ['5', '$web_vitals'],
])

/** Names of detect-browser, which Umami uses, that are no other vendor's. */
const BROWSERS: ReadonlyMap<string, string> = new Map([
  ['ios', 'Mobile Safari'],
  ['ios-webview', 'Mobile Safari'],
  ['edge-ios', 'Microsoft Edge'],
  ['chromium-webview', 'Chrome'],
  ['yandexbrowser', 'Yandex'],
  ['opera-mini', 'Opera Mini'],
])

const VITALS = [
  ['lcp', '$web_vitals_LCP_value'],
  ['inp', '$web_vitals_INP_value'],
  ['cls', '$web_vitals_CLS_value'],
  ['fcp', '$web_vitals_FCP_value'],
  ['ttfb', '$umami_ttfb'],
] as const

/** Umami: rows of website_event and session_data, as its Cloud exports them or as a query of its database gives them. */
export const umami: Preset = {
  vendor: 'umami',
  rules: 1,
  ids: ['identity', 'session_id'],
  fields: {
    event_id: '@event_id',
    website_id: '$umami_website_id',
    session_id: ['@session_id', '$umami_session_id'],
    visit_id: ['@visit_id', '$umami_visit_id'],
    event_type: '@event_type',
    event_name: '@event_name',
    distinct_id: '@identity',
    created_at: '@created_at',
    tag: '$umami_tag',
    job_id: [],

    hostname: ['@hostname', '$host'],
    url_path: '@url_path',
    url_query: '@url_query',
    page_title: 'title',
    referrer_domain: '@referrer_domain',
    referrer_path: '@referrer_path',
    referrer_query: '@referrer_query',
    lifatid: 'li_fat_id',

    browser: '$browser',
    os: '$os',
    device: '$device_type',
    screen: '@screen',
    language: '$browser_language',
    country: '@country',
    region: '@region',
    subdivision1: '@region',
    city: '$geoip_city_name',
    lcp: '@lcp',
    inp: '@inp',
    cls: '@cls',
    fcp: '@fcp',
    ttfb: '@ttfb',

    event_data: '@event_data',
    visit: '@visit',
    'visit.created_at': '@visit_start',
    'visit.*': [],

    session_data_id: '@session_data_id',
    website_event_id: '@website_event_id',
    data_key: '@data_key',
    data_type: '@data_type',
    string_value: '@string_value',
    number_value: '@number_value',
    date_value: '@date_value',
    '*': '*',
  },
  unpack: ['event_data'],
  sideTables: [EVENT_DATA, VISITS],
  recognises: [
    ['website_id', 'session_id', 'visit_id', 'event_id', 'event_type'],
    ['website_id', 'session_id', 'event_id', 'url_path', 'event_type'],
    ['website_id', 'session_id', 'data_key', 'string_value', 'data_type'],
  ],
  events: {},
  empty: [],
  switches: {
    [ANONYMOUS_PERSONS]: 'make a person of each anonymous visitor, who is another one each month',
  },
  eventName,
  uuid,
  distinctId: (record) => record.text('identity') ?? prefixed(record.text('session_id')),
  // Umami knows no link between an anonymous visitor and the one who was identified.
  anonymousId: () => undefined,
  timestamp: (record, options) => requiredTime(record, 'created_at', options.sourceTimezone),
  perform,
}

function prefixed(session: string | undefined): string | undefined {
  return session === undefined ? undefined : `umami:${session}`
}

/** True for a row of session_data, which `identify()` writes: a property of the person. */
function isSessionData(record: RecordView): boolean {
  return record.kind('data_key') !== undefined && record.text('website_event_id') === undefined
}

function eventName(record: RecordView): string | undefined {
  if (record.kind('data_key') !== undefined) {
    if (isSessionData(record) && record.text('event_id') === undefined) return '$set'
    throw new Rejection(
      'event_data',
      'a row of event_data is no event: give its file by --join event_data=PATH',
    )
  }
  if (record.text('event_id') === undefined) {
    throw new Rejection(
      'event_id_missing',
      'event_id is missing: sums a page or a referrer, as the app exports them, are no events',
    )
  }
  const type = record.text('event_type') ?? (record.text('event_name') === undefined ? '1' : '2')
  if (type === '2') return record.text('event_name')
  const name = EVENTS.get(type)
  if (name === undefined) throw new Rejection('event_type_unknown', `event_type is ${JSON.stringify(type)}`)
  return name
}

/** Ids are UUIDs of version 4 or 7. A row of session_data has none in Cloud's files. */
function uuid(record: RecordView): string | undefined {
  const id = record.text('event_id') ?? record.text('session_data_id')
  if (id === undefined) return undefined
  return canonicalUuid(id) ?? uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(['umami', id]))
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  const isAnonymous = record.text('identity') === undefined && !options.switches.has(ANONYMOUS_PERSONS)
  if (isSessionData(record)) {
    if (isAnonymous) throw new Filtered('data_of_anonymous_session')
    describePerson(record, draft)
    return
  }
  if (isAnonymous) draft.property('$process_person_profile', 'false')
  if (record.text('identity') === undefined)
    draft.unusable('distinct_id is empty: such a visitor is another one each month')
  setAddress(record, draft)
  setReferrer(record, draft)
  setClient(record, draft)
  draft.text('$geoip_country_code', record.text('country')?.toUpperCase())
  // `DE-BE`, or `BE` in old rows.
  draft.text('$geoip_subdivision_1_code', record.text('region')?.replace(/^[A-Z]{2}-/, ''))
  for (const [slot, name] of VITALS) {
    const text = record.text(slot)
    if (isNumber(text)) draft.property(name, text)
    else draft.text(name, text)
  }
  setVisit(record, draft, options)
  // What was sent with the event wins a name.
  for (const [name, json] of record.entries('event_data'))
    outrank(draft, name, json, `$umami_${name.replace(/^\$/, '')}`)
}

function describePerson(record: RecordView, draft: Draft): void {
  const key = record.text('data_key')
  const value = dataValue((name) => record.text(name))
  if (key === undefined || value === undefined) throw new Filtered('data_without_value')
  draft.set(key, value)
}

/** The scheme is not stored. A hash is in the path. */
function setAddress(record: RecordView, draft: Draft): void {
  const [host, whole] = [record.text('hostname'), record.text('url_path')]
  if (whole === undefined) return
  const [path = ''] = whole.split('#')
  draft.text('$pathname', path)
  if (host === undefined) return
  const hash = whole.slice(path.length)
  draft.text('$current_url', `https://${host}${path}${queryOf(record, 'url_query')}${hash}`)
}

function queryOf(record: RecordView, slot: string): string {
  const query = record.text(slot)?.replace(/^\?/, '')
  return query === undefined ? '' : `?${query}`
}

function setReferrer(record: RecordView, draft: Draft): void {
  const domain = record.text('referrer_domain')
  const own = record.text('hostname')?.replace(/^www\./, '')
  if (domain === undefined || domain.replace(/^www\./, '') === own) {
    draft.text('$referrer', '$direct')
    draft.text('$referring_domain', '$direct')
    return
  }
  const path = record.text('referrer_path') ?? ''
  draft.text('$referrer', `https://${domain}${path}${queryOf(record, 'referrer_query')}`)
  draft.text('$referring_domain', domain)
}

function setClient(record: RecordView, draft: Draft): void {
  const json = draft.json('$browser')
  const known = json?.startsWith('"') ? BROWSERS.get(JSON.parse(json) as string) : undefined
  if (known !== undefined && json !== undefined) {
    draft.property('$browser', JSON.stringify(known), '$umami_browser')
    draft.property('$umami_browser', json)
  }
  foldClientNames(draft, 'umami')
  if (!setSize(draft, record.text('screen'), '$screen')) draft.copy('$umami_screen', 'screen')
}

function setVisit(record: RecordView, draft: Draft, { sourceTimezone }: PresetOptions): void {
  const [id, start] = [record.text('visit_id'), record.text('visit_start')]
  if (id === undefined || start === undefined) return
  const at = Math.floor(parseTime(start, sourceTimezone) / MICROS_PER_MS)
  draft.session({ id, owner: record.text('session_id') ?? draft.distinctId, start: at })
}
