import { type Head, headId, headName, headUuid } from '../../record/head.ts'
import { type Inventory, InventorySum } from '../../record/inventory.ts'
import { members } from '../../record/json-values.ts'
import { isNobody } from '../../record/nobody.ts'
import { cleanDistinctId, GROUP_EVENT, groupSender } from '../../record/rules.ts'
import { scalarText } from '../../record/text.ts'
import { digestOf, IdSet } from '../forget/id-set.ts'
import { identifyUuid } from '../generate.ts'
import { addGroupTypes, type GroupedEvent } from '../groups-of-events.ts'
import type { ChosenPeople } from './trial-order.ts'

/** Events by which the service takes two ids for one person, and the property that has the other id. */
const LINKING: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

/** Events that only change what is known of a person. */
const PROFILE: ReadonlySet<string> = new Set(['$set', '$unset'])

const DOLLAR = 0x24
const BACKSLASH = 0x5c

/**
 * Another id of an event's sender, or the group that the event changes. An id that stands for nobody links no persons, here
 * as in the service.
 */
export function linkedBy(
  line: Buffer,
  head: Head,
): { readonly id?: string | undefined; readonly group?: NamedGroup | undefined } {
  if (isPlainName(line, head)) return NOTHING
  const event = headName(line, head)
  const property = LINKING.get(event)
  if (property !== undefined) return { id: linkedId(propertiesIn(line).get(property), headId(line, head)) }
  return event === GROUP_EVENT ? { group: groupIn(propertiesIn(line)) } : NOTHING
}

/** True for what somebody did; false for what only says who somebody is, or what a group is like. */
export function isAct(line: Buffer, head: Head): boolean {
  if (isPlainName(line, head)) return true
  const event = headName(line, head)
  return !LINKING.has(event) && !PROFILE.has(event) && event !== GROUP_EVENT
}

/** True for a name that is surely none of the service's own. Most events end here, without a string being made. */
function isPlainName(line: Buffer, { eventStart }: Head): boolean {
  const first = line[eventStart + 1]
  return first !== DOLLAR && first !== BACKSLASH
}

export function groupsIn(line: Buffer, head: Head): NamedGroup[] {
  const { group } = linkedBy(line, head)
  const named = members(propertiesIn(line).get('$groups') ?? '').flatMap(([type, json]) => {
    const key = scalarText(json)
    return key === undefined ? [] : [{ type, key }]
  })
  return group ? [...named, group] : named
}

const NOTHING = {}

export interface NamedGroup {
  readonly type: string
  readonly key: string
}

/** The text that stands for a group. No id is the same: ids have no NUL. */
export function groupText({ type, key }: NamedGroup): string {
  return `group\0${type}\0${key}`
}

function propertiesIn(line: Buffer): ReadonlyMap<string, string> {
  const json = members(line.toString('utf8')).find(([name]) => name === 'properties')?.[1]
  return new Map(json === undefined ? [] : members(json))
}

/** Undefined for properties that name no group. */
function groupIn(properties: ReadonlyMap<string, string>): NamedGroup | undefined {
  const [type, key] = [scalarText(properties.get('$group_type')), scalarText(properties.get('$group_key'))]
  return type === undefined || key === undefined ? undefined : { type, key }
}

function linkedId(json: string | undefined, sender: string): string | undefined {
  const id = cleanDistinctId(scalarText(json) ?? '')
  if (typeof id !== 'string' || id === sender || isNobody(id) || isNobody(sender)) return undefined
  return id
}

/** Takes stock of events by their lines. Of the records that they were made of it knows nothing. */
export class EventStock {
  readonly #sum = new InventorySum()
  /** Events that look as if they were made of several records. */
  generated = 0

  add(line: Buffer, head: Head): void {
    const sender = headId(line, head)
    this.#sum.distinctIds.add(sender)
    const { properties } = JSON.parse(line.toString('utf8')) as GroupedEvent
    for (const name of Object.keys(properties)) {
      const value = properties[name]
      if (value !== null && value !== '') this.#sum.properties.add(name, 1)
    }
    const event = headName(line, head)
    addGroupTypes(this.#sum, { event, properties }, head.instant)
    if (this.#isGenerated(event, sender, line)) this.generated++
  }

  take(): Inventory {
    return this.#sum.take()
  }

  #isGenerated(event: string, sender: string, line: Buffer): boolean {
    if (event === '$identify') {
      const anonymous = propertiesIn(line).get('$anon_distinct_id')
      if (!anonymous?.startsWith('"')) return false
      return headUuid(line, 0) === identifyUuid(sender, JSON.parse(anonymous) as string)
    }
    if (event !== GROUP_EVENT) return false
    const group = groupIn(propertiesIn(line))
    return group !== undefined && sender === groupSender(group.type, group.key)
  }
}

/** The digest of an id, or of a group's text. It never leaves this process, so it needs no secret. */
export function chosenDigest(text: string): Uint32Array {
  return digestOf('trial', text)
}

/** Tells the lines of a trial from the others. */
export class ChosenLines {
  readonly #ids: IdSet
  readonly #groups: IdSet
  readonly #days: ReadonlySet<number> | undefined

  constructor({ ids, groups, days }: ChosenPeople) {
    this.#ids = new IdSet(ids)
    this.#groups = new IdSet(groups)
    this.#days = days && new Set(days)
  }

  /** Of other days than the trial's, what is said of its people: what links their ids, and their profiles. */
  has(line: Buffer, head: Head, day: number): boolean {
    if (this.#days?.has(day)) return true
    const { group } = linkedBy(line, head)
    if (group && this.hasGroup(group)) return true
    if (this.#days && isAct(line, head)) return false
    return this.hasId(headId(line, head))
  }

  hasId(id: string): boolean {
    return this.#ids.has(chosenDigest(id))
  }

  hasGroup(group: NamedGroup): boolean {
    return this.#groups.has(chosenDigest(groupText(group)))
  }
}
