import {
  cleanDistinctId,
  GROUP_EVENT,
  type Head,
  isNobody,
  members,
  scalarText,
  sketchHash,
  spelledText,
} from '../../record/index.ts'

/** Events by which the service takes two ids for one person, and the property that has the other id. */
const LINKING: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

const DOLLAR = 0x24
const BACKSLASH = 0x5c

/** The distinct_id of an event line. */
export function senderIn(line: Buffer, { distinctIdStart, distinctIdEnd }: Head): string {
  return spelledText(line, distinctIdStart + 1, distinctIdEnd - 1)
}

/** Reads what the events of a dataset say of ids and groups, each as a hash. */
export class EventIds {
  readonly #groupEvents: ReadonlySet<string>

  constructor(groupEventName: string) {
    this.#groupEvents = new Set([GROUP_EVENT, groupEventName])
  }

  /**
   * What must stay together with an event's sender: another id of the same person, or the group that the event changes.
   * Undefined for events that say nothing of the kind. An id that stands for nobody links no persons, here as in the service.
   */
  linkedIn(line: Buffer, head: Head): number | undefined {
    const first = line[head.eventStart + 1]
    // Most events end here, without a string being made.
    if (first !== DOLLAR && first !== BACKSLASH) return undefined
    const event = spelledText(line, head.eventStart + 1, head.eventEnd - 1)
    const property = LINKING.get(event)
    if (property !== undefined) return linkedId(propertiesIn(line).get(property), senderIn(line, head))
    if (!this.#groupEvents.has(event)) return undefined
    const group = groupIn(propertiesIn(line))
    return group && hashOfGroup(group)
  }
}

/** The group that a group event changes. */
export interface ChangedGroup {
  readonly type: string
  readonly key: string
}

/** The hash of a group. No id has its text: ids have no NUL. */
export function hashOfGroup({ type, key }: ChangedGroup): number {
  return sketchHash(`group\0${type}\0${key}`)
}

/** The properties of an event line, by name, each value as it is written. */
export function propertiesIn(line: Buffer): ReadonlyMap<string, string> {
  const json = members(line.toString('utf8')).find(([name]) => name === 'properties')?.[1]
  return new Map(json === undefined ? [] : members(json))
}

/** Undefined for properties that name no group. */
export function groupIn(properties: ReadonlyMap<string, string>): ChangedGroup | undefined {
  const [type, key] = [scalarText(properties.get('$group_type')), scalarText(properties.get('$group_key'))]
  return type === undefined || key === undefined ? undefined : { type, key }
}

function linkedId(json: string | undefined, sender: string): number | undefined {
  const id = cleanDistinctId(scalarText(json) ?? '')
  if (typeof id !== 'string' || id === sender || isNobody(id) || isNobody(sender)) return undefined
  return sketchHash(id)
}
