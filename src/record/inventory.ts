import { DistinctCount } from './distinct-count.ts'
import { addCounts, MOST_NAMES, NameTable, ofNames } from './notes.ts'
import { formatInstant } from './time.ts'

/** What became of a member, in words, and in how many records: `{"kept": 20, "left out: empty": 3}`. */
export type Fates = Record<string, number>

/** Events of a group type, and the time of the oldest in microseconds. */
export interface GroupTypeSeen {
  readonly events: number
  readonly oldest: number
}

/** What the records that became events held, and what their events hold. Plain data: it crosses threads. */
export interface Inventory {
  /** By the member's path in the record. */
  readonly members: Record<string, Fates>
  readonly other_members: Fates
  /** Property -> events in which it has a value. */
  readonly properties: Record<string, number>
  readonly other_properties: number
  readonly group_types: Readonly<Record<string, GroupTypeSeen>>
  /**
   * Of the types that the service makes of the events: how many events get the type's column, and the time of the oldest
   * that makes the type, by its groups or as a group event.
   */
  readonly groups: Readonly<Record<string, GroupTypeSeen>>
  /** The distinct ids, as `DistinctCount.text`; '' for none. */
  readonly distinct_ids: string
}

export function emptyInventory(): Inventory {
  return {
    members: {},
    other_members: {},
    properties: {},
    other_properties: 0,
    group_types: {},
    groups: {},
    distinct_ids: '',
  }
}

/** An inventory as a manifest and `--json` have it; docs/members.md explains it. */
export function inventoryJson({ group_types, groups, distinct_ids, ...rest }: Inventory) {
  const count = new DistinctCount()
  count.addText(distinct_ids)
  return {
    ...rest,
    group_types: seenJson(group_types),
    groups: seenJson(groups),
    distinct_ids: { approximate: count.estimate },
  }
}

function seenJson(types: Inventory['groups']): Record<string, { events: number; oldest: string }> {
  return ofNames(
    Object.entries(types).map(([type, { events, oldest }]) => [
      type,
      { events, oldest: formatInstant(oldest) },
    ]),
  )
}

/** The sum of any number of inventories; the order in which they are added makes no difference. */
export class InventorySum {
  readonly members: NameTable<Fates>
  readonly properties: NameTable<number>
  readonly groupTypes: NameTable<GroupTypeSeen>
  readonly groups: NameTable<GroupTypeSeen>
  readonly distinctIds = new DistinctCount()

  /** `limit`: so many members, properties and group types are told apart. */
  constructor(limit = MOST_NAMES) {
    this.members = new NameTable(sumOfFates, limit, withoutNames)
    this.properties = new NameTable((a, b) => a + b, limit)
    this.groupTypes = new NameTable(sumOfSeen, limit)
    this.groups = new NameTable(sumOfSeen, limit)
  }

  add(other: Inventory): void {
    for (const [path, fates] of Object.entries(other.members)) this.members.add(path, { ...fates })
    this.members.addOthers({ ...other.other_members })
    for (const [name, events] of Object.entries(other.properties)) this.properties.add(name, events)
    this.properties.addOthers(other.other_properties)
    for (const [type, seen] of Object.entries(other.group_types)) this.groupTypes.add(type, seen)
    for (const [type, seen] of Object.entries(other.groups)) this.groups.add(type, seen)
    this.distinctIds.addText(other.distinct_ids)
  }

  take(): Inventory {
    const members = this.members.take()
    const properties = this.properties.take()
    return {
      members: ofNames(members.named.map(([path, fates]) => [path, sortedFates(fates)])),
      other_members: sortedFates(members.others ?? {}),
      properties: ofNames(properties.named),
      other_properties: properties.others ?? 0,
      group_types: ofNames(this.groupTypes.take().named),
      groups: ofNames(this.groups.take().named),
      distinct_ids: this.distinctIds.text,
    }
  }
}

function sumOfFates(a: Fates, b: Fates): Fates {
  addCounts(a, b)
  return a
}

/** Fates without the names of properties: `renamed: $current_url` is `renamed`. */
function withoutNames(fates: Fates): Fates {
  const general: Fates = {}
  for (const [fate, count] of Object.entries(fates)) {
    const word = fate.replace(/^renamed: .*$/s, 'renamed').replace(/^(person: \$set(?:_once)?)\..*$/s, '$1')
    general[word] = (general[word] ?? 0) + count
  }
  return general
}

function sumOfSeen(a: GroupTypeSeen, b: GroupTypeSeen): GroupTypeSeen {
  return { events: a.events + b.events, oldest: Math.min(a.oldest, b.oldest) }
}

function sortedFates(fates: Fates): Fates {
  return Object.fromEntries(Object.entries(fates).sort(([a], [b]) => (a < b ? -1 : 1)))
}
