import {
  type Draft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../mapping/preset.ts'
import type { Id } from '../record/id.ts'
import { cleanDistinctId } from '../record/rules.ts'
import { KIND } from '../record/tape.ts'
import { isNumericTime, parseTime } from '../record/time.ts'
import { canonicalUuid } from '../record/uuid.ts'
import { leaveStateMembersOut, STATE_FIELDS, stateRecordOf } from './posthog/groups-and-persons.ts'
import { eventText, guardServiceEvent, MERGE_SWITCH, requiredTimeText, requireObjects } from './required.ts'

/** Switch: the person's properties at the time of the event are sent, and overwrite what the project knows today. */
const PERSON_PROPERTIES = 'person-properties'

/**
 * Events in the service's own form: the batch API's events, batch exports as JSON lines, and the same rows from
 * Parquet or ClickHouse, where properties are JSON strings. Names and values stay as they are, null and '' too. Besides
 * events there are records of groups, of persons and of their ids: each becomes a group event, a `$set` or a `$create_alias`.
 */
export const posthog: Preset = {
  vendor: 'posthog',
  rules: 2,
  readsGroupTypes: true,
  fields: {
    uuid: '@uuid',
    // What the events API calls the uuid.
    id: '@id',
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
    ...STATE_FIELDS,
    // team_id and the like: bookkeeping of the old instance; the new one keeps its own.
    '*': [],
  },
  unpack: ['person_properties', 'group_properties'],
  recognises: [
    ['event', 'timestamp', 'distinct_id', 'properties'],
    ['event', 'timestamp', 'properties.distinct_id'],
    ['event', 'uuid', 'distinct_id', 'properties'],
    ['group_key', 'group_properties', 'group_type_index'],
    ['group_key', 'group_properties', 'group_type'],
    ['person_id', 'distinct_id', 'person_properties', 'created_at'],
    ['person_id', 'distinct_id', 'alias', 'created_at'],
  ],
  events: {},
  empty: undefined,
  switches: {
    [PERSON_PROPERTIES]: 'send person_properties as $set: they overwrite what the project knows today',
    ...MERGE_SWITCH,
  },
  eventName: (record) => eventText(record, 'event') ?? stateRecordOf(record)?.event,
  uuid,
  distinctId,
  // Links between ids are events of their own here.
  anonymousId: () => undefined,
  timestamp,
  perform,
}

/** The service refuses a whole batch for one bad uuid. A missing one is made from the content. */
function uuid(record: RecordView, options: PresetOptions): string | undefined {
  const kind = record.kind('uuid')
  if (kind === undefined || kind === KIND.null) {
    const state = stateRecordOf(record)
    if (state) return state.uuid(record, options)
    return record.kind('id') === KIND.string ? canonicalUuid(record.text('id') ?? '') : undefined
  }
  const text = record.text('uuid')
  if (text === undefined && kind === KIND.string) return undefined
  const id = kind === KIND.string ? canonicalUuid(text!) : undefined
  if (id !== undefined) return id
  throw new Rejection('uuid_invalid', 'uuid is no UUID: the service would refuse the batch')
}

/** The first that holds a value, in the service's own order. Numbers are kept as their digits. */
function distinctId(record: IdView, options: PresetOptions): Id | string | undefined {
  for (const slot of ['distinct_id', '$distinct_id', 'properties.distinct_id']) {
    const kind = record.kind(slot)
    if (kind === undefined || kind === KIND.null) continue
    if (kind !== KIND.string && kind !== KIND.number) {
      throw new Rejection('distinct_id_not_text', `${slot} is neither a string nor a number`)
    }
    const id = record.id(slot)
    if (id !== undefined) return id
  }
  return stateRecordOf(record)?.sender?.(record, options)
}

function timestamp(record: RecordView, options: PresetOptions): number {
  const text =
    record.text('timestamp') ?? requiredTimeText(record, stateRecordOf(record) ? 'created_at' : 'timestamp')
  if (isNumericTime(text))
    throw new Rejection('timestamp_not_text', 'timestamp is a number, not ISO 8601 text')
  return parseTime(text, options.sourceTimezone)
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  const state = stateRecordOf(record)
  if (state) {
    state.describe(record, draft, options)
    return
  }
  leaveStateMembersOut(record, draft)
  requireObjects(record, OBJECTS)
  guardServiceEvent(draft, options)
  keepOtherId(record, draft)
  if (!draft.has('$elements_chain') && record.text('elements_chain') !== undefined) {
    draft.copy('$elements_chain', 'elements_chain')
  }
  if (options.switches.has(PERSON_PROPERTIES)) sendPerson(record, draft)
  else if (record.kind('person_properties') === KIND.object) draft.leaveOut('person_properties')
}

/** An id in the properties that differs from the event's own is kept under another name; one beside them is told. */
function keepOtherId(record: RecordView, draft: Draft): void {
  const beside = record.kind('$distinct_id') ?? KIND.null
  if (beside !== KIND.null && record.text('distinct_id') !== undefined) draft.leaveOut('$distinct_id')
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
