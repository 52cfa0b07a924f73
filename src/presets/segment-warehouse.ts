import { type Preset, type RecordView, Rejection } from '../mapping/preset.ts'
import { TABLE_MEMBER } from '../mapping/side-table.ts'
import { members, objectJson } from '../record/json-values.ts'
import { textIn } from '../record/text.ts'
import { uuidV5 } from '../record/uuid.ts'
import { ownOf } from '../text/json.ts'
import { MESSAGE_NAMESPACE, MESSAGE_UUID, setSession, specPreset } from './segment.ts'

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

/** Columns that are a call's own members. `event` is the name as the warehouse spells it: only where there is no other. */
const MEMBERS: Readonly<Record<string, string>> = {
  id: 'messageId',
  anonymous_id: 'anonymousId',
  user_id: 'userId',
  previous_id: 'previousId',
  group_id: 'groupId',
  event_text: 'event',
  timestamp: 'timestamp',
  // In a lake, where `timestamp` is a reserved word; in microseconds, where Parquet became JSON.
  _timestamp: 'timestamp',
  original_timestamp: 'originalTimestamp',
  sent_at: 'sentAt',
  received_at: 'receivedAt',
  channel: 'channel',
  context_request_ip: 'request_ip',
  // The warehouse's own bookkeeping: no id of the call, and no time of it.
  uuid: 'uuid',
  uuid_ts: 'uuid_ts',
  loaded_at: 'loaded_at',
  record_id: 'record_id',
}

/** Columns of the context whose name was of several words. */
const CONTEXT: Readonly<Record<string, string>> = {
  user_agent: 'userAgent',
  group_id: 'groupId',
  session_id: 'sessionId',
  session_start: 'sessionStart',
}

/** Objects of the context, by which columns such as context_page_url are told apart. Others keep their name. */
const OBJECTS = ['page', 'os', 'device', 'app', 'network', 'screen', 'campaign', 'library', 'traits']
const OBJECT_COLUMN = new RegExp(`^(${OBJECTS.join('|')})_(.+)$`)

/** Tables of one kind of call each, and the kind. All others are of tracked events. */
const TABLES: ReadonlyMap<string, string> = new Map([
  ['tracks', 'track'],
  ['pages', 'page'],
  ['screens', 'screen'],
  ['identifies', 'identify'],
  ['groups', 'group'],
  ['accounts', 'group'],
  ['aliases', 'alias'],
])

type Pieces = Array<readonly [name: string, json: string]>

/**
 * The call that a row was made of, as JSON text: `context_page_url` is `context.page.url` again, and columns of the user's
 * own are properties or traits. A row of `users` is the state of a user: an identify call without an id. A record that is
 * a call already stays as it is.
 */
function callOf(row: string): string {
  const all = columnsOf(row)
  const columns = new Map(all)
  if (columns.has('messageId') && columns.has('type')) return row
  const type = typeOf(columns)
  const isState = type === 'users'
  const [top, context, own]: [Pieces, Pieces, Pieces] = [[], [], []]
  const objects = new Map<string, Pieces>()
  for (const [name, json] of all) {
    if (name === TABLE_MEMBER) continue
    const member = isState && name === 'id' ? 'userId' : memberOf(name, columns)
    if (member !== undefined) top.push([member, json])
    else if (name.startsWith('context_'))
      placeInContext(name.slice('context_'.length), json, context, objects)
    else own.push([name, json])
  }
  const seen = isState ? (columns.get('received_at') ?? columns.get('uuid_ts')) : undefined
  if (seen !== undefined && !columns.has('timestamp')) top.push(['timestamp', seen])
  if (type !== undefined) top.push(['type', JSON.stringify(isState ? 'identify' : type)])
  for (const [name, inner] of objects) context.push([name, objectJson(inner)])
  if (context.length > 0) top.push(['context', objectJson(context)])
  const isTrait = isState || type === 'identify' || type === 'group'
  if (own.length > 0) top.push([isTrait ? 'traits' : 'properties', objectJson(own)])
  return objectJson(top)
}

/** The call's own member that a column holds; undefined for one of the context or of the user's own. */
function memberOf(name: string, columns: ReadonlyMap<string, string>): string | undefined {
  if (name === 'event') return columns.has('event_text') ? 'event_slug' : 'event'
  return ownOf(MEMBERS, name)
}

/** The columns that hold something, in lower case where the warehouse spells all of them in capitals. */
function columnsOf(row: string): Pieces {
  const filled = members(row).filter(([, json]) => json !== 'null' && json !== '""')
  const isCapital = filled.every(([name]) => name === TABLE_MEMBER || !/[a-z]/.test(name))
  return isCapital ? filled.map(([name, json]) => [name.toLowerCase(), json]) : filled
}

/** The kind of call; undefined when neither the columns nor the table tell. */
function typeOf(columns: ReadonlyMap<string, string>): string | undefined {
  const table = tableIn(columns.get(TABLE_MEMBER))
  if (table === 'users') return 'users'
  if (columns.has('event_text')) return 'track'
  const known = TABLES.get(table)
  if (known !== undefined) return known
  if (columns.has('previous_id')) return 'alias'
  if (columns.has('group_id')) return 'group'
  return columns.has('event') ? 'track' : undefined
}

/** `PROD.SHOP.PAGES` is of pages. */
function tableIn(json: string | undefined): string {
  const text = json?.startsWith('"') ? (JSON.parse(json) as string) : ''
  return text.slice(text.lastIndexOf('.') + 1).toLowerCase()
}

function placeInContext(name: string, json: string, context: Pieces, objects: Map<string, Pieces>): void {
  const [, object, rest] = OBJECT_COLUMN.exec(name) ?? []
  if (object === undefined) {
    context.push([ownOf(CONTEXT, name) ?? name, json])
    return
  }
  const inner = objects.get(object)
  if (inner) inner.push([rest!, json])
  else objects.set(object, [[rest!, json]])
}
