import { type Draft, type Preset, type PresetOptions, type RecordView, Rejection } from '../mapping/preset.ts'
import { guardServiceEvent, MERGE_SWITCH, requireObjects } from './required.ts'

/**
 * Rows that are events already, in a form of the user's own: NDJSON, CSV, Parquet or Avro. The mapping file says which
 * member is the event's name, its person, its time and its id; without it they are the members of those names. Every
 * other member is a property under its own name, and so is every member of an object `properties`.
 */
export const events: Preset = {
  vendor: 'events',
  rules: 1,
  takes: {
    event: ['event'],
    distinct_id: ['distinct_id', 'properties.distinct_id'],
    timestamp: ['timestamp'],
    uuid: ['uuid'],
  },
  fields: {
    // The outer person properties win, as in the service.
    $set: '@$set',
    '$set.*': 'set:*',
    $set_once: '@$set_once',
    '$set_once.*': 'once:*',
    'properties.$set': '@properties.$set',
    'properties.$set.*': 'set:*',
    'properties.$set_once': '@properties.$set_once',
    'properties.$set_once.*': 'once:*',
    'properties.*': '*',
    '*': '*',
  },
  unpack: ['$groups', 'properties.$groups'],
  recognises: [['event', 'distinct_id', 'timestamp']],
  events: {},
  empty: [],
  switches: MERGE_SWITCH,
  // All of these are in `takes`.
  eventName: () => undefined,
  uuid: () => undefined,
  distinctId: () => undefined,
  anonymousId: () => undefined,
  timestamp() {
    throw new Rejection('timestamp_missing', 'the record has no time')
  },
  perform,
}

/** Members that the service takes as objects only, each with the reason of the reject. */
const OBJECTS = [
  ['$set', 'set_not_an_object'],
  ['$set_once', 'set_once_not_an_object'],
  ['properties.$set', 'set_not_an_object'],
  ['properties.$set_once', 'set_once_not_an_object'],
] as const

function perform(record: RecordView, draft: Draft, options: PresetOptions): void {
  requireObjects(record, OBJECTS)
  guardServiceEvent(draft, options)
}
