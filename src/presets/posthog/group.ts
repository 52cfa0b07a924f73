import { type Draft, type RecordView, Rejection, type Target } from '../../mapping/index.ts'
import { canonicalJson, groupSender, MAX_GROUP_KEY, POSTHAUL_NAMESPACE, uuidV5 } from '../../record/index.ts'
import { requiredTime } from '../required.ts'

/**
 * Groups as the project API has them, `{"group_type_index","group_key","group_properties","created_at"}`; an export
 * adds the name of their `group_type`.
 */
export const GROUP_FIELDS: Readonly<Record<string, Target>> = {
  group_type: '@group_type',
  group_type_index: '@group_type_index',
  group_key: '@group_key',
  group_properties: '@group_properties',
  created_at: '@created_at',
}

/** Their names, which are those of the slots. */
const MEMBERS = Object.keys(GROUP_FIELDS)

/** True for the record of a group. An event with a member of that name stays an event. */
export function isGroup(record: RecordView): boolean {
  return record.kind('group_key') !== undefined && record.kind('event') === undefined
}

/**
 * The same state of the same group is one event however often it is sent, so a second export merges; a changed state is
 * another event, so it is not lost. The order of properties says nothing: the list and the query endpoint differ in it.
 */
export function uuidOfGroup(record: RecordView): string {
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
export function leaveGroupOut(record: RecordView, draft: Draft): void {
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
