import { isNumericTime, parseTime } from '../../record/time.ts'
import { canonicalUuid } from '../../record/uuid.ts'
import {
  type Draft,
  Filtered,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from '../preset.ts'
import { eventText, requiredTimeText } from './required.ts'

/** Switch: what a person was when the event happened goes along, and overwrites what the project knows today. */
const PERSON_PROPERTIES = 'person-properties'
/** Switch: merges of identified persons are repeated in the new project; nothing can undo them there. */
const MERGE_DANGEROUSLY = 'merge-dangerously'

/**
 * Events in the service's own form: the batch API's events, batch exports as JSON lines, and the same rows from
 * Parquet or ClickHouse, where properties are JSON strings. Names and values stay as they are, null and '' too.
 */
export const posthog: Preset = {
  vendor: 'posthog',
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
    '$set_once.*': 'once:*',
    'properties.$set': ['@properties.$set', '$set'],
    'properties.$set.*': 'set:*',
    'properties.$set_once.*': 'once:*',
    'properties.*': '*',
    // person_id, created_at, team_id and the like: the old instance's books, which the new one keeps for itself.
    '*': [],
  },
  unpack: ['properties', 'person_properties', '$set', '$set_once'],
  events: {},
  empty: undefined,
  switches: {
    [PERSON_PROPERTIES]: 'send person_properties as $set: they overwrite what the project knows today',
    [MERGE_DANGEROUSLY]: 'send $merge_dangerously events: persons they merge can never be told apart again',
  },
  eventName: (record) => eventText(record, 'event'),
  uuid,
  distinctId,
  // Links between ids are events of their own here.
  anonymousId: () => undefined,
  timestamp,
  perform,
}

function uuid(record: RecordView): string | undefined {
  const id = record.text('uuid')
  return id === undefined ? undefined : canonicalUuid(id)
}

/** In the order in which the service looks. */
function distinctId(record: RecordView): string | undefined {
  return record.text('distinct_id') ?? record.text('$distinct_id') ?? record.text('properties.distinct_id')
}

function timestamp(record: RecordView, options: PresetOptions): number {
  const text = requiredTimeText(record, 'timestamp')
  if (isNumericTime(text))
    throw new Rejection('timestamp_not_text', 'timestamp is a number, not ISO 8601 text')
  return parseTime(text, options.sourceTimezone)
}

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  refuseOddProperties(record)
  if (draft.event === '$performance_event') throw new Filtered('dropped_by_service')
  if (draft.event === '$merge_dangerously' && !options.switches.has(MERGE_DANGEROUSLY)) {
    throw new Rejection(
      'merge_not_allowed',
      `$merge_dangerously is sent only with --with ${MERGE_DANGEROUSLY}`,
    )
  }
  keepOtherId(record, draft)
  const chain = record.json('elements_chain')
  if (chain !== undefined && record.text('elements_chain') !== undefined && !draft.has('$elements_chain')) {
    draft.property('$elements_chain', chain)
  }
  if (options.switches.has(PERSON_PROPERTIES)) sendPerson(record, draft)
}

/** Properties that name somebody else than the event does: the event's own id takes that name, this goes by another. */
function keepOtherId(record: RecordView, draft: Draft): void {
  const json = record.json('properties.distinct_id')
  if (json === undefined || json === 'null' || json === '""') return
  if (record.text('properties.distinct_id') !== draft.distinctId) draft.property('distinct_id', json)
}

/** What the event itself sets stands above what was known of the person. */
function sendPerson(record: RecordView, draft: Draft): void {
  for (const slot of ['person_properties', 'properties.$set', '$set']) {
    for (const [name, json] of record.entries(slot)) draft.set(name, json)
  }
}

/** Anything but an object would be lost with all it holds. */
function refuseOddProperties(record: RecordView): void {
  const json = record.json('properties')
  if (json === undefined || json.startsWith('{') || json === 'null' || json === '""') return
  throw new Rejection('properties_not_an_object', 'properties is not an object')
}
