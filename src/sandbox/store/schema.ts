import { COPIED, initialName } from '../pipeline/enrich.ts'

// What the service copies from an event to its person is not stored again: these pieces of SQL read it from the event's
// own properties, all of it in one pass over their text.

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const field = (name: string): string => `copied.${JSON.stringify(name)}`

/** A struct with the JSON text of each copied property, null where an event has none. */
export const COPIED_FIELDS = `from_json(properties, ${literal(
  JSON.stringify(Object.fromEntries(COPIED.map((name) => [name, 'JSON']))),
)})`

/** The copies of a struct `copied` as the members of a JSON object; an empty text where there are none. */
function members(nameOf: (name: string) => string): string {
  return `concat_ws(',', ${COPIED.map(
    (name) => `${literal(`${JSON.stringify(nameOf(name))}:`)} || ${field(name)}`,
  ).join(', ')})`
}

/** The properties of an event with the copies in `$set` and `$set_once`, of a row with a struct `copied`. */
const WITH_COPIES = `left(properties, -1) || ',"$set":{' || ${members((name) => name)}
  || '},"$set_once":{' || ${members(initialName)} || '}}'`

/** The copies of a struct `copied` as a list of names and values, null where the event has none. */
export const COPIED_LIST = `[${COPIED.map((name) => `{name: ${literal(name)}, value: ${field(name)}}`).join(', ')}]`

// Names of the store's own tables begin with sandbox_: queries may not name them (query/translate.ts).
/** The log of accepted events in the order of arrival, duplicates included. Every table of a query derives from it. */
export const LOG_TABLE = 'sandbox_log'
/** Group types in the order in which they first arrived. */
export const TYPES_TABLE = 'sandbox_group_types'

/** The uuids that requests for deletion have queued. */
export const QUEUED_TABLE = 'sandbox_queued'
/** The events of the log that are deleted. Persons, groups and definitions are still made of them. */
export const DELETED_TABLE = 'sandbox_deleted'

/** The events whose merge or changes of a person were refused, and the warning's type; made with the persons. */
export const REFUSED_TABLE = 'sandbox_refused'

/** Makes the store's tables where they are missing. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
    seq BIGINT, uuid UUID, event VARCHAR, distinct_id VARCHAR, timestamp TIMESTAMP, properties JSON, cleaned JSON,
    lasting JSON, nulls JSON, elements_chain VARCHAR,
    historical BOOLEAN, received_at TIMESTAMP, profile BOOLEAN, copies BOOLEAN, set_fields JSON, set_once_fields JSON,
    unset_fields JSON,
    group_0 VARCHAR, group_1 VARCHAR, group_2 VARCHAR, group_3 VARCHAR, group_4 VARCHAR, joins VARCHAR
  );
  CREATE TABLE IF NOT EXISTS ${TYPES_TABLE} (
    group_type VARCHAR, group_type_index INTEGER, created_at TIMESTAMP
  );
  CREATE TABLE IF NOT EXISTS ${QUEUED_TABLE} (request VARCHAR, uuid UUID);
  CREATE TABLE IF NOT EXISTS ${DELETED_TABLE} (seq BIGINT);
`

/** The rows that the service's merge removes. */
const SUPERSEDED_TABLE = 'sandbox_superseded'

/** How events are stored: as properties in JSON columns, as from 30 November 2026, or in the table from before. */
const STORAGES = ['json', 'table'] as const
export type Storage = (typeof STORAGES)[number]

/**
 * Fills the table of what the service's merge removes: of the events that agree in uuid, event, distinct_id and time (JSON
 * columns) or UTC day (the table from before) all but the last to arrive. It looks at repeated uuids first, which are few,
 * to stay cheap. `mergedUntil`: events that arrived before this time are merged; microseconds since the epoch. Undefined:
 * all events are merged.
 */
export function supersededTable(mergedUntil: bigint | undefined, storage: Storage): string {
  const time = storage === 'json' ? 'timestamp' : 'timestamp::DATE'
  const merged = mergedUntil === undefined ? 'true' : `received_at < make_timestamp(${mergedUntil})`
  return `
  CREATE OR REPLACE TEMP TABLE ${SUPERSEDED_TABLE} AS SELECT unnest(seqs[2:]) AS seq FROM (
    SELECT list(seq ORDER BY seq DESC) AS seqs FROM ${LOG_TABLE}
    WHERE ${merged}
      AND uuid IN (SELECT uuid FROM ${LOG_TABLE} WHERE ${merged} GROUP BY uuid HAVING count(*) > 1)
    GROUP BY uuid, event, distinct_id, ${time} HAVING count(*) > 1
  )`
}

/** Events of flags have a table of their own beside the JSON columns. */
const FLAG_CALLED = '$feature_flag_called'

// A query sees a group only on events that are no older than its type. A type without a time hides nothing.
const GROUP_COLUMNS = [0, 1, 2, 3, 4]
  .map(
    (index) => `CASE WHEN timestamp < (
      SELECT date_trunc('second', created_at) FROM ${TYPES_TABLE} WHERE group_type_index = ${index}
    ) THEN '' ELSE coalesce(group_${index}, '') END AS "$group_${index}"`,
  )
  .join(', ')

// Times are stored in UTC without a zone, and are instants here, which queries see in the project's zone. `timezone('UTC', x)` says
// the same, and takes twenty times as long: a query of one day reads the times of all events.
const EVENT_COLUMNS = `
  uuid, event, make_timestamptz(epoch_us(timestamp)) AS timestamp, distinct_id, elements_chain,
  make_timestamptz(epoch_us(received_at)) AS created_at, historical AS historical_migration, nulls AS properties_null_keys, ${GROUP_COLUMNS}`

/** What a query sees of events beyond their plain columns. */
interface EventsViewOptions {
  /** Adds persons, whose tables must be fresh. */
  readonly persons: boolean
  /** Properties with what the service copies into their `$set` and `$set_once`, which takes time to put together. */
  readonly copies: boolean
  readonly storage: Storage
  /** Events that are older than so many months are hidden. */
  readonly retentionMonths?: number | undefined
  /** Microseconds since the epoch: temporary properties are gone 60 days after they came. */
  readonly now: bigint
}

const TEMPORARY_MICROS = 60n * 86_400_000_000n

/** The table `events` of queries. */
export function eventsView({ persons, copies, storage, retentionMonths, now }: EventsViewOptions): string {
  const fresh = storage === 'json' ? `received_at > make_timestamp(${now - TEMPORARY_MICROS})` : 'true'
  const stored =
    storage === 'json'
      ? `CASE WHEN ${fresh} THEN coalesce(cleaned, properties) ELSE coalesce(lasting, cleaned, properties) END`
      : 'properties'
  const properties = copies
    ? `CASE WHEN copies AND ${fresh} THEN ${WITH_COPIES} ELSE properties END`
    : 'properties'
  const copied = copies ? `, CASE WHEN copies THEN ${COPIED_FIELDS} END AS copied` : ''
  const elsewhere = storage === 'json' ? ` AND event != '${FLAG_CALLED}'` : ''
  const kept =
    retentionMonths === undefined
      ? ''
      : ` AND timestamp >= make_timestamp(${now}) - to_months(${retentionMonths})`
  const events =
    `SELECT ${EVENT_COLUMNS}, ${properties} AS properties, profile ` +
    `FROM (SELECT * REPLACE (${stored} AS properties)${copied} FROM ${LOG_TABLE}) ` +
    `WHERE seq NOT IN (SELECT seq FROM ${SUPERSEDED_TABLE} WHERE seq IS NOT NULL) AND seq NOT IN (SELECT seq FROM ${DELETED_TABLE})${elsewhere}${kept}`
  // An event without a person has the id of the person that its distinct_id has or would have, but no properties of it.
  const rows = persons
    ? `SELECT e.* EXCLUDE (profile), coalesce(d.person_id, ${personId('e.distinct_id')}) AS person_id,
         CASE WHEN e.profile THEN p.properties ELSE '{}' END AS person_properties
       FROM (${events}) e
       LEFT JOIN person_distinct_ids d ON d.distinct_id = e.distinct_id
       LEFT JOIN persons p ON p.id = d.person_id`
    : `SELECT * EXCLUDE (profile) FROM (${events})`
  return `CREATE OR REPLACE TEMP VIEW events AS ${rows}`
}

/** The id of the person whose first distinct id is in a column. */
export function personId(column: string): string {
  return `md5('person:' || ${column})::UUID`
}

/** The table \`groups\` of queries and of the groups endpoints: a shallow merge of \`$group_set\` in arrival order. Its
 * keys are in the order of the service's own store: shorter ones first. */
export const GROUPS_TABLE = `
  CREATE OR REPLACE TEMP TABLE groups AS
  WITH updates AS (
    SELECT seq, timestamp, t.group_type_index AS type, json_extract_string(properties, '$."$group_key"') AS key,
      json_extract(properties, '$."$group_set"') AS fields
    FROM ${LOG_TABLE} log
    JOIN ${TYPES_TABLE} t ON t.group_type = json_extract_string(properties, '$."$group_type"')
    WHERE event = '$groupidentify' AND profile AND json_type(properties, '$."$group_set"') = 'OBJECT'
  ), valid AS (
    SELECT * FROM updates WHERE key IS NOT NULL AND key != ''
  ), named AS (
    SELECT seq, type, key, fields, unnest(json_keys(fields)) AS name FROM valid
  ), latest AS (
    SELECT type, key, name, arg_max(json_extract(fields, '/' || replace(replace(name, '~', '~0'), '/', '~1')), seq)
      AS value
    FROM named GROUP BY type, key, name
  ), merged AS (
    SELECT type, key, '{' || string_agg(CAST(to_json(name) AS VARCHAR) || ':' || CAST(value AS VARCHAR), ','
      ORDER BY strlen(name), name) || '}' AS properties FROM latest GROUP BY type, key
  )
  SELECT v.type AS index, v.key AS key, CAST(coalesce(any_value(m.properties), '{}') AS JSON) AS properties,
    timezone('UTC', min(v.timestamp)) AS created_at, timezone('UTC', max(v.timestamp)) AS updated_at
  FROM valid v LEFT JOIN merged m ON m.type = v.type AND m.key = v.key
  GROUP BY v.type, v.key`
