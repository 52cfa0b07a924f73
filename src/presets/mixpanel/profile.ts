import type { Draft, RecordView, Target } from '../../mapping/preset.ts'
import { GROUP_EVENT, groupSender } from '../../record/rules.ts'
import { changeGroup, objectJson, requiredTime } from '../required.ts'

/**
 * Profiles as the Engage API has them, `{"$distinct_id","$properties"}`; an export adds `$exported_at`, and for those
 * of groups their `$group_type`. A profile's time is its last visit, else the time of the export.
 */
export const PROFILE_FIELDS: Readonly<Record<string, Target>> = {
  $distinct_id: ['@distinct_id', '@group_key'],
  $properties: '@profile',
  '$properties.$last_seen': '@profile_time',
  '$properties.*': [],
  $exported_at: '@profile_time',
  $group_type: '@group_type',
}

/** Names for which the service has its own. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['$email', 'email'],
  ['$name', 'name'],
])

export function isProfile(record: RecordView): boolean {
  return record.kind('profile') !== undefined
}

/** The event that a profile becomes. */
export function profileEvent(record: RecordView): string {
  return record.text('group_type') === undefined ? '$set' : GROUP_EVENT
}

/** Whose profile it is; a group's event has an id of its own. */
export function profileSender(record: RecordView): string | undefined {
  const [type, key] = [record.text('group_type'), record.text('group_key')]
  return type === undefined || key === undefined ? key : groupSender(type, key)
}

/** Microseconds. UTC, unlike the events of an old project. */
export function profileTime(record: RecordView): number {
  return requiredTime(record, 'profile_time')
}

/** Writes what is known of a user or of a group. `isEmpty` tells values that mean nothing. */
export function describeProfile(record: RecordView, draft: Draft, isEmpty: (json: string) => boolean): void {
  const known = record.entries('profile').map(([name, json]) => [NAMES.get(name) ?? name, json] as const)
  const type = record.text('group_type')
  if (type === undefined) {
    for (const [name, json] of known) draft.set(name, json)
    return
  }
  const told = known.filter(([, json]) => !isEmpty(json))
  changeGroup(draft, type, record.text('group_key') ?? '', objectJson(told))
}
