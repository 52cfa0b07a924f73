import { type Preset, type RecordView, Rejection } from '../mapping/preset.ts'
import { textIn } from '../record/text.ts'
import { uuidV5 } from '../record/uuid.ts'
import { setSession } from './rudderstack.ts'
import { MESSAGE_NAMESPACE, MESSAGE_UUID, specPreset } from './segment-spec.ts'
import { callOf } from './segment-warehouse/call.ts'

/** Columns of the tables, by which rows are told from others. */
const COLUMNS = [
  ['id', 'event_text', 'timestamp'],
  ['id', 'anonymous_id', 'received_at', 'timestamp'],
  ['id', 'user_id', 'received_at', 'timestamp'],
  ['id', 'previous_id', 'timestamp'],
  // Of users, whose rows tell no call.
  ['id', 'received_at', 'uuid_ts'],
]

const calls = specPreset({
  vendor: 'segment-warehouse',
  label: 'segment',
  rules: 1,
  groupType: 'segment_group',
  // Snowflake spells them in capitals, and `callOf` reads both.
  recognises: COLUMNS.flatMap((names) => [names, names.map((name) => name.toUpperCase())]),
  fields: {
    // Asked for by `callOf`.
    $table: [],
    // A device's own clock, and no time of the call.
    originalTimestamp: '$segment_originalTimestamp',
    request_ip: '$ip',
    'context.page.referring_domain': '$referring_domain',
    'context.sessionId': ['@sessionId', 'context_sessionId'],
    properties: '@properties',
    event_slug: [],
    uuid: [],
    uuid_ts: [],
    loaded_at: [],
    record_id: '$segment_record_id',
  },
  perform: setSession,
})

/** Rows of the tables that Segment, RudderStack and Hightouch write into a warehouse, read as the calls they were made of. */
export const segmentWarehouse: Preset = {
  ...calls,
  // Of the spec for shops: arrays, which a warehouse holds as text.
  unpack: ['properties.products', 'properties.promotions', 'properties.filters', 'properties.sorts'],
  reshape: callOf,
  eventName(record, options) {
    if (record.text('type') !== undefined) return calls.eventName(record, options)
    throw new Rejection(
      'table_unknown',
      'neither the columns nor the table tell what call this is: name the file after its table, such as pages.csv',
    )
  },
  uuid: { ...MESSAGE_UUID, otherwise: stateUuid },
  // `tracks` has every call of the events' tables again, without its properties.
  givesWay: (record) => record.text('type') === 'track' && record.kind('properties') === undefined,
}

/** Of a row of `users`, which has no id of its own: the user and what is known of them, in any order of columns. */
function stateUuid(record: RecordView): string | undefined {
  const user = record.text('userId')
  if (user === undefined || record.text('type') !== 'identify') return undefined
  // CSV has numbers as text.
  const known = record.entries('traits').map(([name, json]) => JSON.stringify([name, textIn(json)]))
  return uuidV5(MESSAGE_NAMESPACE, JSON.stringify(['users', user, known.sort()]))
}
