import { isJsonObject } from '../../text/json.ts'

/** Gives the index of a group type. A new type is made, if there is room for it. */
type GroupTypeIndex = (type: string) => number | undefined

const MAX_KEY_UNITS = 400
const COLUMNS = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4']

/** Writes the key of each group of an event into its `$group_0` to `$group_4`. Groups of a sixth type have no place. */
export function addGroups(properties: Record<string, unknown>, indexOf: GroupTypeIndex): void {
  const { $groups } = properties
  // Of a list, too: its types are called 0, 1 and so on.
  for (const [type, key] of Object.entries($groups ?? {})) {
    const index = indexOf(type)
    if (index !== undefined) properties[`$group_${index}`] = key
  }
}

/** Takes the groups of an event without a person away. What the sender says of its groups stays. */
export function dropGroups(properties: Record<string, unknown>): void {
  for (const column of COLUMNS) delete properties[column]
}

/** The five columns of a query, null where the event has no such group. */
export function groupColumns(properties: Readonly<Record<string, unknown>>): readonly (string | null)[] {
  return COLUMNS.map((column) => {
    const key = properties[column]
    return key === undefined ? null : typeof key === 'string' ? key : JSON.stringify(key)
  })
}

/** Makes the type that a `$groupidentify` names, or says what is wrong: an event with too long a key is dropped. */
export function identifyGroup(
  properties: Record<string, unknown>,
  indexOf: GroupTypeIndex,
): 'group_key_too_long' | 'invalid_group_set' | undefined {
  const { $group_type: type, $group_key: key, $group_set: fields } = properties
  if (String(key).length > MAX_KEY_UNITS) return 'group_key_too_long'
  if (typeof key === 'string') properties.$group_key = key.replaceAll('\0', '\ufffd')
  if (typeof type === 'string' && type !== '' && isJsonObject(fields)) indexOf(type)
  return fields === undefined || isJsonObject(fields) ? undefined : 'invalid_group_set'
}
