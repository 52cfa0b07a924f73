import type { RecordView } from '../../mapping/preset.ts'
import type { SideTable } from '../../mapping/side-table.ts'

/** Switch: users are linked by `$identify` events, not joined. */
export const LINK_USERS = 'link-users'

/** Anonymous users who were identified: all their events are of another user since. Warehouses have applied it already. */
const MIGRATIONS: SideTable = {
  name: 'user_migrations',
  help: 'without it, what S3 files hold of a user before they were identified stays apart',
  on: { from_user_id: ['user_id'] },
  as: 'joined_migration',
  several: 'last',
  expected: false,
}

const USERS: SideTable = {
  name: 'users',
  help: "without it, events belong to Heap's user_id, not to the identity that your program gave",
  on: { user_id: ['joined_migration.to_user_id', 'user_id'] },
  as: 'joined_user',
  several: 'last',
  expected: true,
  alsoRecords: true,
  unless: LINK_USERS,
}

const SESSIONS: SideTable = {
  name: 'sessions',
  help: 'without it, events have no $session_id, since only a session tells when it began',
  on: { session_id: ['session_id'] },
  as: 'joined_session',
  several: 'first',
  expected: true,
}

export const HEAP_SIDE_TABLES: readonly SideTable[] = [MIGRATIONS, USERS, SESSIONS]

/** The table of a record in lower case, without its schema; undefined where nothing names one. */
export function heapTable(record: RecordView): string | undefined {
  return record.text('table')?.toLowerCase().split('.').at(-1)
}

/** True for a row that describes a user, and is no event. */
export function isUser(record: RecordView): boolean {
  return heapTable(record) === 'users' || (record.text('event_id') === undefined && hasUserColumn(record))
}

function hasUserColumn(record: RecordView): boolean {
  return record.kind('identity') !== undefined || record.kind('joindate') !== undefined
}

/** What Heap saw happen, for a row of a label that a user of Heap has defined over such events. */
const RAW_KINDS = new Set(['view page', 'click', 'submit', 'change', 'touch'])

/** True for a kind of thing that Heap captures by itself. */
export function isRawKind(type: string | undefined): type is string {
  return type !== undefined && RAW_KINDS.has(type)
}

/**
 * True for the table of an event that a program sent by name: it has a row for each time. All other tables are labels,
 * which select events that may be in other tables too.
 */
export function isCustomEvent(table: string, type: string | undefined): boolean {
  return type !== undefined && !isRawKind(type) && slug(type) === slug(table)
}

/** Heap writes names of tables in lower case, with `_` for what is no letter or digit. */
function slug(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\d]+/gu, '_')
}
