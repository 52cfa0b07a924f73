import {
  cleanDistinctId,
  GROUP_EVENT,
  groupSender,
  type Head,
  headId,
  headName,
  headUuid,
  type Inventory,
  InventorySum,
  isNobody,
  members,
  scalarText,
  sketchHash,
} from '../../record/index.ts'
import { identifyUuid } from '../generate.ts'

/** Events by which the service takes two ids for one person, and the property that has the other id. */
const LINKING: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

const DOLLAR = 0x24
const BACKSLASH = 0x5c

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
    const event = headName(line, head)
    const property = LINKING.get(event)
    if (property !== undefined) return linkedId(propertiesIn(line).get(property), headId(line, head))
    if (!this.#groupEvents.has(event)) return undefined
    const group = groupIn(propertiesIn(line))
    return group && hashOfGroup(group)
  }
}

/** The group that a group event changes. */
interface ChangedGroup {
  readonly type: string
  readonly key: string
}

/** The hash of a group. No id has its text: ids have no NUL. */
export function hashOfGroup({ type, key }: ChangedGroup): number {
  return sketchHash(`group\0${type}\0${key}`)
}

/** The properties of an event line, by name, each value as it is written. */
function propertiesIn(line: Buffer): ReadonlyMap<string, string> {
  const json = members(line.toString('utf8')).find(([name]) => name === 'properties')?.[1]
  return new Map(json === undefined ? [] : members(json))
}

/** Undefined for properties that name no group. */
function groupIn(properties: ReadonlyMap<string, string>): ChangedGroup | undefined {
  const [type, key] = [scalarText(properties.get('$group_type')), scalarText(properties.get('$group_key'))]
  return type === undefined || key === undefined ? undefined : { type, key }
}

function linkedId(json: string | undefined, sender: string): number | undefined {
  const id = cleanDistinctId(scalarText(json) ?? '')
  if (typeof id !== 'string' || id === sender || isNobody(id) || isNobody(sender)) return undefined
  return sketchHash(id)
}

/** Takes stock of events by their lines. Of the records that they were made of it knows nothing. */
export class EventStock {
  readonly #sum = new InventorySum()
  readonly #groupEventName: string
  /** Events that look as if they were made of several records. */
  generated = 0

  constructor(groupEventName: string) {
    this.#groupEventName = groupEventName
  }

  add(line: Buffer, head: Head): void {
    const sender = headId(line, head)
    this.#sum.distinctIds.add(sender)
    this.#sum.idSketch.add(sender)
    const { properties } = JSON.parse(line.toString('utf8')) as EventValue
    for (const name of Object.keys(properties)) {
      const value = properties[name]
      if (value !== null && value !== '') this.#sum.properties.add(name, 1)
    }
    const event = headName(line, head)
    this.#addGroups(event, properties, head.instant)
    if (this.#isGenerated(event, sender, line)) this.generated++
  }

  take(): Inventory {
    return this.#sum.take()
  }

  /** The same as mapping/inventory-taker.ts counts of drafts. */
  #addGroups(event: string, properties: EventValue['properties'], instant: number): void {
    const groups = properties.$groups
    const isGroupEvent = event === GROUP_EVENT
    if (groups === undefined && !isGroupEvent) return
    const isActedOn = properties.$process_person_profile !== false
    const shown = isObject(groups) ? Object.keys(groups) : []
    const changed = isGroupEvent && typeof properties.$group_type === 'string' ? [properties.$group_type] : []
    for (const type of new Set([...shown, ...changed])) {
      this.#sum.groupTypes.add(type, { events: 1, oldest: instant })
      if (isActedOn) this.#sum.groups.add(type, { events: shown.includes(type) ? 1 : 0, oldest: instant })
    }
  }

  #isGenerated(event: string, sender: string, line: Buffer): boolean {
    if (event === '$identify') {
      const anonymous = propertiesIn(line).get('$anon_distinct_id')
      if (!anonymous?.startsWith('"')) return false
      return headUuid(line, 0) === identifyUuid(sender, JSON.parse(anonymous) as string)
    }
    if (event !== this.#groupEventName) return false
    const group = groupIn(propertiesIn(line))
    return group !== undefined && sender === groupSender(group.type, group.key)
  }
}

interface EventValue {
  readonly properties: Readonly<Record<string, unknown>>
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
