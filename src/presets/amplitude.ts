import { browserOf, browserVersionOf, systemOf, systemVersionOf } from '../mapping/client-names.ts'
import {
  type Draft,
  Filtered,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../mapping/preset.ts'
import type { SideTable } from '../mapping/side-table.ts'
import type { Id } from '../record/id.ts'
import { elements, isJson, members } from '../record/json-values.ts'
import { groupSender } from '../record/rules.ts'
import { memoize, textIn } from '../record/text.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { AMPLITUDE_FIELDS, bothCases, RECOGNISES, UPPER_FIELDS, upper } from './amplitude/fields.ts'
import { elementOf, elementsChain } from './elements-chain.ts'
import { changeGroup, eventText, requiredTime } from './required.ts'

/**
 * Amplitude gives each device that is new an id of its own, `amplitude_id`. When it learns whose device that is, it
 * writes a row of MERGE_IDS: the id, and the user's older one. The events keep the id with which they came. So the user
 * of a device's first events is found by way of the records that have the older id and a user.
 */
const MERGE_TABLES: readonly SideTable[] = [
  {
    name: 'merge_ids',
    help: 'which amplitude_id Amplitude has merged into which, so that devices go to their user',
    on: { 'amplitude_id|AMPLITUDE_ID': ['amplitude_id', 'AMPLITUDE_ID'] },
    as: 'joined_merge',
    several: 'last',
    expected: false,
    rare: true,
  },
  {
    name: 'merged_users',
    help: 'the user of each amplitude_id',
    on: {
      'amplitude_id|AMPLITUDE_ID': ['joined_merge.merged_amplitude_id', 'joined_merge.MERGED_AMPLITUDE_ID'],
    },
    as: 'merged_user',
    ofRecords: ['user_id', 'USER_ID'],
    several: (held, row) => held ?? row,
    expected: true,
    needs: 'merge_ids',
  },
]

const MERGE_FIELDS: Readonly<Record<string, Target>> = {
  'joined_merge.*': [],
  'merged_user.user_id': '@merged_user',
  'merged_user.USER_ID': '@merged_user',
}

/** The user of a record that names none, by the merges; undefined where no record shows them. */
function mergedUser(record: RecordView): string | undefined {
  return record.text('user_id') === undefined ? record.text('merged_user') : undefined
}

/** Gives an event of the browser library what the service keeps of the element that it happened to. */
function describeElement(record: RecordView, draft: Draft, action: string): void {
  draft.text('$event_type', action)
  draft.property('$ce_version', '1')
  const tag = record.text('el_tag')
  if (tag === undefined) return
  const [id, href, text] = ['el_id', 'el_href', 'el_text'].map((slot) => record.text(slot))
  const classes = (record.text('el_class') ?? '').split(/\s+/).filter((one) => one !== '')
  const element = elementOf({ tag: tag.toLowerCase(), id, href, classes, text })
  draft.text('$elements_chain', elementsChain([element]))
}

/** The 16 ASCII bytes `amplitude_events`: for records without a uuid of their own. */
const NAMESPACE = '616d706c-6974-7564-655f-6576656e7473'

const PREFIX = '[Amplitude] '

/** What the browser library's own events did to an element. */
const ELEMENT_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['[Amplitude] Element Clicked', 'click'],
  ['[Amplitude] Element Changed', 'change'],
  ['[Amplitude] Rage Click', 'click'],
  ['[Amplitude] Dead Click', 'click'],
])

/** Amplitude: lines of the Export API's archive, or of a warehouse that holds the same fields. */
export const amplitude: Preset = {
  vendor: 'amplitude',
  rules: 2,
  ids: ['user_id', 'device_id', 'merged_user'],
  empty: ['EMPTY', '(not set)', '(not provided)'],
  unpack: bothCases(['groups', 'group_properties']),
  recognises: RECOGNISES.flatMap((members) => [members, members.map(upper)]),
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

  fields: { ...AMPLITUDE_FIELDS, ...UPPER_FIELDS, ...MERGE_FIELDS, '*': '*' },
  sideTables: MERGE_TABLES,

  eventName: (record) => eventText(record, 'event'),
  uuid: { slot: 'uuid', otherwise: uuid },
  distinctId,
  anonymousId,
  userId: mergedUser,
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
  return uuidV5(NAMESPACE, JSON.stringify([record.text('device_id') ?? userOf(record) ?? '', insertId]))
}

function userOf(record: RecordView): string | undefined {
  const amplitudeId = record.text('amplitude_id')
  return record.text('user_id') ?? (amplitudeId === undefined ? undefined : `amplitude:${amplitudeId}`)
}

function distinctId(record: IdView): Id | string | undefined {
  if (record.text('event') === '$groupidentify') return changeSender(record)
  return record.id('user_id') ?? record.id('device_id') ?? userOf(record)
}

function anonymousId(record: IdView, distinctId: Id): Id | undefined {
  if (record.text('event') === '$groupidentify') return undefined
  if (record.id('user_id') !== undefined) return record.id('device_id')
  return mergedUser(record) === undefined ? undefined : distinctId
}

function perform(record: IdView, draft: IdDraft, { switches }: PresetOptions): void {
  const source = record.text('event') ?? ''
  if ((source === 'session_start' || source === 'session_end') && !switches.has('keep-session-events')) {
    throw new Filtered('session_event')
  }
  if (source.startsWith('[Amplitude] Application ')) draft.event = source.slice(PREFIX.length)
  const action = ELEMENT_ACTIONS.get(source)
  if (action !== undefined) describeElement(record, draft, action)
  pageUrl(draft)
  describeDevice(record, draft)
  session(record, draft)
  if (source === '$groupidentify') changeGroups(record, draft)
  else joinAmplitudeGroups(record, draft)
}

/** The location has the query, the URL has not: the URL serves only where there is no location. */
function pageUrl(draft: Draft): void {
  draft.copy(draft.has('$current_url') ? '[Amplitude] Page URL' : '$current_url', 'page_url')
}

/** A session's id is its start in milliseconds, -1 or 0 outside a session; other numbers were made up by servers. */
function session(record: IdView, draft: IdDraft): void {
  const id = record.text('session_id')
  if (id === undefined || id === '-1' || id === '0') return
  draft.copy('$amplitude_session_id', 'session_id')
  draft.session({ id, owner: record.id('device_id') ?? userOf(record) ?? '', start: undefined })
}

/**
 * The fields have two meanings: in a browser `os_name` and `os_version` hold the browser, and `device_family` or else
 * `device_type` the system; everywhere else `os_name` is the system.
 */
function describeDevice(record: RecordView, draft: Draft): void {
  const family = record.text('device_family')
  const type = record.text('device_type')
  if (isWeb(record)) describeBrowser(record, family, type, draft)
  else describeHardware(record, family, type, draft)
  const kind = deviceKind(`${family ?? ''} ${type ?? ''}`)
  if (kind !== '') draft.text('$device_type', kind)
  else if (/^(ios|android)$/i.test(record.text('platform') ?? '')) draft.text('$device_type', 'Mobile')
}

/** Told by the platform; without one by the library: amplitude-js and amplitude-ts run in browsers. */
function isWeb(record: RecordView): boolean {
  const platform = record.text('platform')
  if (platform !== undefined) return namesWeb(platform)
  return /^amplitude-[jt]s\b/.test(record.text('library') ?? '')
}

const namesWeb = memoize((platform: string) => /\bweb\b/i.test(platform))

function describeBrowser(
  record: RecordView,
  family: string | undefined,
  type: string | undefined,
  draft: Draft,
): void {
  const systemSlot = family === undefined ? 'device_type' : 'device_family'
  const system = systemName(family ?? type)
  const browser = record.text('os_name')
  named(draft, 'os_name', '$browser', other(browser, browser && browserOf(browser, system)?.name))
  const version = record.text('os_version')
  const number = version === undefined ? '' : versionNumber(version)
  if (number === '') draft.copy('$browser_version', 'os_version')
  else {
    draft.property('$browser_version', number)
    if (number !== version) draft.copy('$amplitude_browser_version', 'os_version')
  }
  named(draft, systemSlot, '$os', other(family ?? type, system))
  if (family !== undefined && family !== type) draft.copy('$device', 'device_type')
}

function describeHardware(
  record: RecordView,
  family: string | undefined,
  type: string | undefined,
  draft: Draft,
): void {
  const name = record.text('os_name')
  const system = systemName(name)
  const version = record.text('os_version')
  named(draft, 'os_name', '$os', other(name, system))
  named(draft, 'os_version', '$os_version', other(version, version && systemVersionOf(version, system)))
  draft.copy('$device', type === undefined ? 'device_family' : 'device_type')
  if (type !== undefined && type !== family) draft.copy('$amplitude_device_family', 'device_family')
}

function systemName(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (systemOf(text)?.name ?? text)
}

/** The service's name for what a text names, if it is another. */
function other(text: string | undefined, name: string | undefined): string | undefined {
  return name === text ? undefined : name
}

/** Writes what a slot names: by the service's name, if that is another, with the slot's beside it. */
function named(draft: Draft, slot: string, property: string, name: string | undefined): void {
  if (name !== undefined) draft.text(property, name)
  draft.copy(name === undefined ? property : `$amplitude_${property.slice(1)}`, slot)
}

/** The number of a browser's version, as the service's libraries write it; '' where there is none. */
const versionNumber = memoize((text: string) => {
  const number = browserVersionOf(text)
  return number === undefined ? '' : String(number)
})

/** Desktop, Mobile or Tablet, as the service's own libraries say it; '' where the device's names don't tell. */
const deviceKind = memoize((names: string) => {
  if (/ipad|\btab(let)?\b/i.test(names)) return 'Tablet'
  if (/iphone|ipod|android|\bios\b|phone|mobile/i.test(names)) return 'Mobile'
  return /windows|\bmac|linux|ubuntu|chrome ?os/i.test(names) ? 'Desktop' : ''
})

interface Group {
  readonly type: string
  readonly key: string
  /** The group's properties as JSON text; undefined when the record has none. */
  readonly properties: string | undefined
}

/**
 * The event joins the first key of each type, since the service holds one. Every key becomes a group of its own, so
 * that none is lost.
 */
function joinAmplitudeGroups(record: RecordView, draft: Draft): void {
  const groups = record.entries('groups')
  // Most records have none, and this is asked of each.
  if (groups.length === 0 && record.entries('group_properties').length === 0) return
  for (const [type, json] of groups) tellUnused(type, json, draft)
  tellNoObjects(record, draft)
  for (const { type, key, properties } of groupsOf(record)) {
    draft.group(type, key)
    draft.groupProperties(type, key, properties ?? '{}')
  }
}

/** A record that changes groups and nothing else: the first change is the event itself, the others are generated. */
function changeGroups(record: RecordView, draft: Draft): void {
  const [first, ...others] = changedGroups(record)
  tellNoObjects(record, draft)
  changeGroup(draft, first.type, first.key, first.properties ?? '{}')
  for (const { type, key, properties } of others) draft.groupProperties(type, key, properties ?? '{}')
}

/** The distinct_id of a record that changes groups. Rejects one that names none. */
function changeSender(record: RecordView): string {
  const [{ type, key }] = changedGroups(record)
  return groupSender(type, key)
}

function changedGroups(record: RecordView): [Group, ...Group[]] {
  const [first, ...others] = groupsOf(record)
  if (first === undefined) throw new Rejection('group_missing', 'a $groupidentify record names no group')
  return [first, ...others]
}

/** The groups in `groups` {type: [key, ...]}, then those only in `group_properties` {type: {key: {...}}}. */
function groupsOf(record: RecordView): Group[] {
  const found: Group[] = []
  const known = record
    .entries('group_properties')
    .flatMap(([type, json]) => members(json).map(([key, properties]) => ({ type, key, properties })))
  for (const [type, json] of record.entries('groups')) {
    for (const key of keysOf(json)) {
      const properties = known.find((group) => group.type === type && group.key === key)?.properties
      found.push({ type, key, properties })
    }
  }
  if (known.length === 0) return found
  const isNew = (group: Group) => !found.some(({ type, key }) => type === group.type && key === group.key)
  return [...found, ...known.filter(isNew)]
}

/** Tells the user of keys that the event can't join. */
function tellUnused(type: string, json: string, draft: Draft): void {
  if (keysOf(json).length > 1)
    draft.unusable(`groups.${type} is an array of several, of which the first is joined`)
  if (given(json).some(isContainer)) draft.unusable(`groups.${type} holds an object or array for a key`)
}

/** Tells the user of properties that are of no key of a group. */
function tellNoObjects(record: RecordView, draft: Draft): void {
  for (const [type, json] of record.entries('group_properties'))
    if (!json.startsWith('{') && json !== 'null')
      draft.unusable(`group_properties.${type} is no object by keys`)
}

/** One key or a list of them; a number is kept as its digits. */
function keysOf(json: string): string[] {
  return given(json)
    .filter((key) => !isContainer(key))
    .map((key) => textIn(key))
    .filter((key) => key !== '' && key !== 'null')
}

/** The value, or its elements when it is an array, which may be one as text. */
function given(json: string): string[] {
  const text = /^"\s*\[/.test(json) ? textIn(json) : json
  return (text === json ? json.startsWith('[') : isJson(text)) ? elements(text) : [json]
}

function isContainer(json: string): boolean {
  return json.startsWith('[') || json.startsWith('{')
}
