import {
  type Draft,
  Filtered,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  type Target,
} from '../mapping/preset.ts'
import type { SideTable } from '../mapping/side-table.ts'
import type { Id } from '../record/id.ts'
import { canonicalUuid, uuidV5 } from '../record/uuid.ts'
import { describeDevice } from './amplitude/device.ts'
import { AMPLITUDE_FIELDS, bothCases, RECOGNISES, UPPER_FIELDS, upper } from './amplitude/fields.ts'
import { changeGroups, changeSender, joinAmplitudeGroups } from './amplitude/groups.ts'
import { elementOf, elementsChain } from './elements-chain.ts'
import { eventText, requiredTime } from './required.ts'

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
