import { members } from '../record/json-values.ts'
import { isNoGroup } from '../record/nobody.ts'
import { textIn } from '../record/text.ts'
import { Rejection } from './preset.ts'

/** A group's properties as one event states them. */
export interface GroupState {
  readonly type: string
  readonly key: string
  /** JSON text of an object. */
  readonly json: string
}

/** The JSON of `$groups`: groups that the record itself names there win over those that rules `found`; `lost` is told of these. */
export function joinGroups(
  own: string | undefined,
  found: ReadonlyMap<string, string>,
  lost: (type: string) => void,
): string {
  const named = new Map(members(own ?? '{}'))
  for (const [type, key] of found) if (named.has(type) && textIn(named.get(type)!) !== key) lost(type)
  const added = [...found]
    .filter(([type]) => !named.has(type))
    .map(([type, key]) => [type, JSON.stringify(key)] as const)
  return `{${[...named, ...added].map(([type, json]) => `${JSON.stringify(type)}:${json}`).join(',')}}`
}

/** Refuses a group event whose key, as JSON text, says that there is none. */
export function assertGroupKey(json: string | undefined): void {
  if (json !== undefined && isNoGroup(textIn(json)))
    throw new Rejection('group_key_missing', `the key of the group is ${json}, which stands for none`)
}

/** A group's properties, as JSON text of an object. The service drops any other value, and with it the group. */
export function groupSet(json = '{}'): string {
  if (json === 'null') return '{}'
  if (json.startsWith('{')) return json
  throw new Rejection('group_properties_not_an_object', 'the properties of the group are no object')
}
