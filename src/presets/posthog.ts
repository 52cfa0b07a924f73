import {
  type Draft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../mapping/index.ts'
import {
  canonicalJson,
  canonicalUuid,
  cleanDistinctId,
  GROUP_EVENT,
  groupSender,
  type Id,
  isNumericTime,
  KIND,
  MAX_GROUP_KEY,
  POSTHAUL_NAMESPACE,
  parseTime,
  uuidV5,
} from '../record/index.ts'
import {
  eventText,
  guardServiceEvent,
  MERGE_SWITCH,
  requiredTime,
  requiredTimeText,
  requireObjects,
} from './required.ts'

/**
 * Groups as the project API has them, `{"group_type_index","group_key","group_properties","created_at"}`; an export
 * adds the name of their `group_type`.
 */
const GROUP_FIELDS: Readonly<Record<string, Target>> = {
  group_type: '@group_type',
  group_type_index: '@group_type_index',
  group_key: '@group_key',
  group_properties: '@group_properties',
  created_at: '@created_at',
}

/** Switch: the person's properties at the time of the event are sent, and overwrite what the project knows today. */
const PERSON_PROPERTIES = 'person-properties'

/**
 * Events in the service's own form: the batch API's events, batch exports as JSON lines, and the same rows from
 * Parquet or ClickHouse, where properties are JSON strings. Names and values stay as they are, null and '' too. Besides
 * events there are the records of groups, each of which becomes a group event.
 */
export const posthog: Preset = {
  vendor: 'posthog',
  rules: 1,
  fields: {
    uuid: '@uuid',
    event: '@event',
    timestamp: '@timestamp',
    distinct_id: '@distinct_id',
    $distinct_id: '@$distinct_id',
    elements_chain: '@elements_chain',
    person_properties: '@person_properties',
    properties: '@properties',
    'properties.distinct_id': '@properties.distinct_id',
    // The service lets the top level's person properties win over those inside.
    $set: '@$set',
    '$set.*': 'set:*',
    $set_once: '@$set_once',
    '$set_once.*': 'once:*',
    'properties.$set': ['@properties.$set', '$set'],
    'properties.$set.*': 'set:*',
    'properties.$set_once.*': 'once:*',
    'properties.*': '*',
    ...GROUP_FIELDS,
    // person_id, team_id and the like: bookkeeping of the old instance; the new one keeps its own.
    '*': [],
  },
  unpack: ['person_properties', 'group_properties'],
  recognises: [
    ['event', 'timestamp', 'distinct_id', 'properties'],
    ['event', 'timestamp', 'properties.distinct_id'],
    ['event', 'uuid', 'distinct_id', 'properties'],
    ['group_key', 'group_properties', 'group_type_index'],
    ['group_key', 'group_properties', 'group_type'],
  ],
  events: {},
  empty: undefined,
  switches: {
    [PERSON_PROPERTIES]: 'send person_properties as $set: they overwrite what the project knows today',
    ...MERGE_SWITCH,
  },
  eventName: (record) => eventText(record, 'event') ?? (isGroup(record) ? GROUP_EVENT : undefined),
  uuid,
  distinctId,
  // Links between ids are events of their own here.
  anonymousId: () => undefined,
  timestamp,
  perform,
}

/** The service refuses a whole batch for one bad uuid. A missing one is made from the content. */
function uuid(record: RecordView): string | undefined {
  const kind = record.kind('uuid')
  if (kind === undefined || kind === KIND.null) return isGroup(record) ? uuidOfGroup(record) : undefined
  const text = record.text('uuid')
  if (text === undefined && kind === KIND.string) return undefined
  const id = kind === KIND.string ? canonicalUuid(text!) : undefined
  if (id !== undefined) return id
  throw new Rejection('uuid_invalid', 'uuid is no UUID: the service would refuse the batch')
}

/** The first that holds a value, in the service's own order. Numbers are kept as their digits. */
function distinctId(record: IdView): Id | string | undefined {
  for (const slot of ['distinct_id', '$distinct_id', 'properties.distinct_id']) {
    const kind = record.kind(slot)
    if (kind === undefined || kind === KIND.null) continue
    if (kind !== KIND.string && kind !== KIND.number) {
      throw new Rejection('distinct_id_not_text', `${slot} is neither a string nor a number`)
    }
    const id = record.id(slot)
    if (id !== undefined) return id
  }
  return isGroup(record) ? groupId(record) : undefined
}

function timestamp(record: RecordView, options: PresetOptions): number {
  const text =
    record.text('timestamp') ?? requiredTimeText(record, isGroup(record) ? 'created_at' : 'timestamp')
  if (isNumericTime(text))
    throw new Rejection('timestamp_not_text', 'timestamp is a number, not ISO 8601 text')
  return parseTime(text, options.sourceTimezone)
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  if (isGroup(record)) {
    describeGroup(record, draft)
    return
  }
  leaveGroupOut(record, draft)
  requireObjects(record, OBJECTS)
  guardServiceEvent(draft, options)
  keepOtherId(record, draft)
  if (!draft.has('$elements_chain') && record.text('elements_chain') !== undefined) {
    draft.copy('$elements_chain', 'elements_chain')
  }
  if (options.switches.has(PERSON_PROPERTIES)) sendPerson(record, draft)
}

/** An id in the properties that differs from the event's own is kept under another name. */
function keepOtherId(record: RecordView, draft: Draft): void {
  const slot = 'properties.distinct_id'
  const kind = record.kind(slot)
  if (kind === undefined || kind === KIND.null) return
  const id = record.text(slot) ?? ''
  const isBlank = kind === KIND.string && id.trim() === ''
  if (!isBlank && cleanDistinctId(id) !== draft.distinctId) draft.property('distinct_id', record.json(slot)!)
}

/** What the event itself sets wins over what was known of the person. */
function sendPerson(record: RecordView, draft: Draft): void {
  for (const slot of ['person_properties', 'properties.$set', '$set']) {
    for (const [name, json] of record.entries(slot)) draft.set(name, json)
  }
}

/** Members that the service takes as objects only, each with the reason of the reject. */
const OBJECTS = [
  ['properties', 'properties_not_an_object'],
  ['$set', 'set_not_an_object'],
  ['$set_once', 'set_once_not_an_object'],
] as const

/** Their names, which are those of the slots. */
const MEMBERS = Object.keys(GROUP_FIELDS)

/** True for the record of a group. An event with a member of that name stays an event. */
function isGroup(record: RecordView): boolean {
  return record.kind('group_key') !== undefined && record.kind('event') === undefined
}

/**
 * The same state of the same group is one event however often it is sent, so a second export merges; a changed state is
 * another event, so it is not lost. The order of properties says nothing: the list and the query endpoint differ in it.
 */
function uuidOfGroup(record: RecordView): string {
  const { type, key } = nameOf(record)
  const instant = requiredTime(record, 'created_at')
  return uuidV5(
    POSTHAUL_NAMESPACE,
    JSON.stringify(['group', type, key, instant, canonicalJson(propertiesOf(record))]),
  )
}

/** A group's event goes out under an id of its own, never a person's. */
export function groupId(record: RecordView): string {
  const { type, key } = nameOf(record)
  return groupSender(type, key)
}

/** Writes what is known of the group. Rejects one that the service would not keep as it is. */
export function describeGroup(record: RecordView, draft: Draft): void {
  const { type, key } = nameOf(record)
  if (type.trim() === '') throw new Rejection('group_type_missing', 'the group has no group_type, its name')
  if (key.trim() === '') throw new Rejection('group_key_missing', 'the key of the group is blank')
  const length = key.length > MAX_GROUP_KEY ? [...key].length : 0
  if (length > MAX_GROUP_KEY) {
    throw new Rejection(
      'group_key_too_long',
      `the key has ${length} characters, the service keeps ${MAX_GROUP_KEY}`,
    )
  }
  const properties = propertiesOf(record)
  if (!properties.startsWith('{')) {
    throw new Rejection('group_properties_not_an_object', 'the properties of the group are no object')
  }
  draft.text('$group_type', type)
  draft.text('$group_key', key)
  draft.property('$group_set', properties)
}

/** An event has no use for the members of a group. */
function leaveGroupOut(record: RecordView, draft: Draft): void {
  for (const name of MEMBERS) if (record.kind(name) !== undefined) draft.leaveOut(name)
}

function nameOf(record: RecordView): { readonly type: string; readonly key: string } {
  return { type: record.text('group_type') ?? '', key: record.text('group_key') ?? '' }
}

/** JSON as it is written; an empty object where there are none. */
function propertiesOf(record: RecordView): string {
  const json = record.json('group_properties')
  return json === undefined || json === 'null' ? '{}' : json
}
