import {
  type Draft,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from '../../mapping/preset.ts'
import { canonicalJson } from '../../record/json-values.ts'
import { GROUP_EVENT, groupSender, MAX_GROUP_KEY } from '../../record/rules.ts'
import { KIND } from '../../record/tape.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import { changeGroup, requiredTime, requireObjects } from '../required.ts'

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

/**
 * A person, and each further id of one, as the SELECTs of `--like posthog` have them:
 * `{"person_id","distinct_id","person_properties","created_at"}` and `{"person_id","distinct_id","alias","created_at"}`.
 */
const PERSON_FIELDS: Readonly<Record<string, Target>> = { person_id: '@person_id', alias: '@alias' }

/** What records have that are no events. */
export const STATE_FIELDS = { ...GROUP_FIELDS, ...PERSON_FIELDS }
const NAMES = Object.keys(STATE_FIELDS)

/** A record that is no event: what is known of a group or a person, or a further id of a person. */
interface StateRecord {
  readonly event: string
  uuid(record: RecordView, options: PresetOptions): string
  /** Whom it is of where the record has no distinct_id. */
  sender?(record: RecordView, options: PresetOptions): string
  describe(record: RecordView, draft: Draft, options: PresetOptions): void
}

/** What a record is that is no event. An event with members of these names stays an event. */
export function stateRecordOf(record: RecordView): StateRecord | undefined {
  const has = (slot: string) => record.kind(slot) !== undefined
  if (has('event')) return undefined
  if (has('group_key')) return GROUP
  if (!has('person_id') || has('timestamp')) return undefined
  const alias = record.kind('alias')
  if (alias !== undefined && alias !== KIND.null) return FURTHER_ID
  return has('person_properties') ? PERSON : undefined
}

const GROUP: StateRecord = { event: GROUP_EVENT, uuid: uuidOfGroup, sender: groupId, describe: describeGroup }

const PERSON: StateRecord = {
  event: '$set',
  // Other properties make it another event; in another order they are the same.
  uuid(record) {
    const properties = canonicalJson(record.json('person_properties') ?? '{}')
    return uuidOf('person', record.text('person_id'), record.text('distinct_id'), properties)
  },
  describe(record, draft) {
    requireObjects(record, [['person_properties', 'person_properties_not_an_object']])
    for (const [name, json] of record.entries('person_properties')) draft.set(name, json)
  },
}

const FURTHER_ID: StateRecord = {
  event: '$create_alias',
  uuid: (record) => uuidOf('alias', record.text('distinct_id'), record.text('alias')),
  describe(record, draft) {
    const alias = record.text('alias')
    if (alias === undefined) throw new Rejection('alias_missing', 'the other id of the person is empty')
    draft.text('alias', alias)
  },
}

function uuidOf(...parts: readonly unknown[]): string {
  return uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(parts))
}

/**
 * The same state of the same group is one event however often it is sent, so a second export merges; a changed state is
 * another event, so it is not lost. The order of properties says nothing: the list and the query endpoint differ in it.
 */
function uuidOfGroup(record: RecordView, options: PresetOptions): string {
  const { type, key } = nameOf(record, options)
  const instant = requiredTime(record, 'created_at')
  return uuidOf('group', type, key, instant, canonicalJson(propertiesOf(record)))
}

/** A group's event goes out under an id of its own, never a person's. */
function groupId(record: RecordView, options: PresetOptions): string {
  const { type, key } = nameOf(record, options)
  return groupSender(type, key)
}

/** Writes what is known of the group. Rejects one that the service would not keep as it is. */
function describeGroup(record: RecordView, draft: Draft, options: PresetOptions): void {
  const { type, key } = nameOf(record, options)
  if (type.trim() === '') {
    throw new Rejection(
      'group_type_missing',
      'nothing names the type of the group: group_types in a mapping file does, and PostHog has the names in its Postgres',
    )
  }
  if (key.trim() === '') throw new Rejection('group_key_missing', 'the key of the group is blank')
  const length = key.length > MAX_GROUP_KEY ? [...key].length : 0
  if (length > MAX_GROUP_KEY) {
    throw new Rejection(
      'group_key_too_long',
      `the key has ${length} characters, the service keeps ${MAX_GROUP_KEY}`,
    )
  }
  changeGroup(draft, type, key, propertiesOf(record))
}

export function leaveStateMembersOut(record: RecordView, draft: Draft): void {
  for (const name of NAMES) if (record.kind(name) !== undefined) draft.leaveOut(name)
}

function nameOf(record: RecordView, options: PresetOptions): { readonly type: string; readonly key: string } {
  const type = record.text('group_type') ?? namedType(record, options) ?? ''
  return { type, key: record.text('group_key') ?? '' }
}

function namedType(record: RecordView, { groupTypes }: PresetOptions): string | undefined {
  const index = record.text('group_type_index') ?? ''
  return Object.hasOwn(groupTypes, index) ? groupTypes[index] : undefined
}

/** JSON as it is written; an empty object where there are none. */
function propertiesOf(record: RecordView): string {
  const json = record.json('group_properties')
  return json === undefined || json === 'null' ? '{}' : json
}
