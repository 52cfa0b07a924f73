import type { GroupTypeSeen, Inventory, InventorySum } from '../record/inventory.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import { isJsonObject } from '../text/json.ts'

export interface GroupedEvent {
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** Counts the group types that an event names: the same as mapping/inventory-taker.ts counts of drafts. */
export function addGroupTypes(
  { groupTypes, groups: made }: Pick<InventorySum, 'groupTypes' | 'groups'>,
  { event, properties }: GroupedEvent,
  instant: number,
): void {
  const { $groups: groups, $group_type: changedType } = properties
  const isGroupEvent = event === GROUP_EVENT
  if (groups === undefined && !isGroupEvent) return
  const isActedOn = properties.$process_person_profile !== false
  const shown = isJsonObject(groups) ? Object.keys(groups) : []
  const changed = isGroupEvent && typeof changedType === 'string' ? [changedType] : []
  for (const type of new Set([...shown, ...changed])) {
    groupTypes.add(type, { events: 1, oldest: instant })
    if (isActedOn) made.add(type, { events: shown.includes(type) ? 1 : 0, oldest: instant })
  }
}

/** The group types of events, in both ways in which an inventory counts them. */
export type GroupCounts = Pick<Inventory, 'group_types' | 'groups'>

/** What is left without events that were mapped and not written. A type that none of the written names is gone. */
export function withoutGroups<Counts extends GroupCounts>(all: Counts, dropped: GroupCounts): Counts {
  const group_types = less(all.group_types, dropped.group_types, ({ events }) => events > 0)
  const groups = less(all.groups, dropped.groups, (_, type) => Object.hasOwn(group_types, type))
  return { ...all, group_types, groups }
}

function less(
  all: GroupCounts['groups'],
  dropped: GroupCounts['groups'],
  isLeft: (seen: GroupTypeSeen, type: string) => boolean,
): Record<string, GroupTypeSeen> {
  const left: Record<string, GroupTypeSeen> = Object.create(null)
  for (const [type, { events, oldest }] of Object.entries(all)) {
    const seen = { events: events - (dropped[type]?.events ?? 0), oldest }
    if (isLeft(seen, type)) left[type] = seen
  }
  return left
}
