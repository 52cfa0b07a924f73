import type { DuckDBValue } from '@duckdb/node-api'
import { isoTime } from '../query/answer.ts'
import { TYPES_TABLE } from './schema.ts'
import type { EventStore } from './store.ts'

/** A group as the API shows it. */
export interface Group {
  readonly group_type_index: number
  readonly group_key: string
  readonly group_properties: unknown
  readonly created_at: string
}

/** A place in the list of groups, which runs from the newest to the oldest; of one time, the last key comes first. */
export interface Position {
  /** Microseconds since the epoch. */
  readonly createdAt: string
  readonly key: string
}

export interface GroupFilter {
  readonly type: number
  /** The whole key. */
  readonly key?: string | undefined
  /** A part of the key, in any case. */
  readonly keyPart?: string | undefined
  /** A part of the properties as JSON, or the whole key, in any case. */
  readonly search?: string | undefined
  readonly after?: Position | undefined
}

export type Placed = Group & { readonly position: Position }

const COLUMNS = 'index, key, CAST(properties AS VARCHAR), epoch_us(created_at)'

/** Groups of a type, newest first. */
export async function listGroups(store: EventStore, filter: GroupFilter, limit: number): Promise<Placed[]> {
  const conditions = ['index = $type']
  const values: Record<string, DuckDBValue> = { type: filter.type, limit }
  if (filter.key !== undefined) {
    conditions.push('key = $key')
    values.key = filter.key
  }
  if (filter.keyPart) {
    conditions.push('contains(lower(key), lower($part))')
    values.part = filter.keyPart
  }
  if (filter.search) {
    conditions.push(
      '(lower(key) = lower($search) OR contains(lower(CAST(properties AS VARCHAR)), lower($search)))',
    )
    values.search = filter.search
  }
  if (filter.after) {
    conditions.push('(epoch_us(created_at), key) < ($at, $at_key)')
    values.at = BigInt(filter.after.createdAt)
    values.at_key = filter.after.key
  }
  const rows = await store.groupRows(
    `SELECT ${COLUMNS} FROM groups WHERE ${conditions.join(' AND ')}
     ORDER BY created_at DESC, key DESC LIMIT $limit`,
    values,
  )
  return rows.map(([index, key, properties, createdAt]) => ({
    group_type_index: Number(index),
    group_key: String(key),
    group_properties: JSON.parse(String(properties)),
    created_at: isoTime(BigInt(String(createdAt))),
    position: { createdAt: String(createdAt), key: String(key) },
  }))
}

/** How many groups of each type have which property, the commonest first. */
export async function propertyDefinitions(store: EventStore) {
  const rows = await store.groupRows(`
    SELECT index, name, count(*) FROM (SELECT index, unnest(json_keys(properties)) AS name FROM groups)
    GROUP BY index, name ORDER BY index, count(*) DESC, name`)
  const definitions: Record<string, { name: string; count: number }[]> = {}
  for (const [index, name, count] of rows) {
    definitions[String(index)] ??= []
    definitions[String(index)]?.push({ name: String(name), count: Number(count) })
  }
  return definitions
}

/** The commonest values of a property, at most 20. */
export async function propertyValues(store: EventStore, type: number, key: string, part: string | undefined) {
  const rows = await store.groupRows(
    `SELECT value, count(*) FROM (
      SELECT json_extract_string(properties, $pointer) AS value FROM groups WHERE index = $type
    ) WHERE value IS NOT NULL AND value != '' AND contains(lower(value), lower($part))
    GROUP BY value ORDER BY count(*) DESC, value LIMIT 20`,
    { type, part: part ?? '', pointer: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` },
  )
  return rows.map(([name, count]) => ({ name: String(name), count: Number(count) }))
}

/** The project's group types in the order of their index. */
export async function listGroupTypes(store: EventStore) {
  const rows = await store.groupRows(
    `SELECT group_type, group_type_index, epoch_us(created_at) FROM ${TYPES_TABLE} ORDER BY group_type_index`,
  )
  return rows.map(([type, index, createdAt]) => ({
    group_type: String(type),
    group_type_index: Number(index),
    name_singular: null,
    name_plural: null,
    detail_dashboard: null,
    default_columns: null,
    created_at: createdAt === null ? null : isoTime(BigInt(String(createdAt))),
  }))
}
