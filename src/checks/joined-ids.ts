import type { Head } from '../record/head.ts'
import { eventIn } from './event-in.ts'

/** The property of an identity event that names the id which it joins to the event's own. */
export const JOINED_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

const KEYS: ReadonlyMap<string, Buffer> = new Map(
  [...JOINED_ID].map(([name, member]) => [name, Buffer.from(`${JSON.stringify(member)}:`)]),
)

/** True if an event line of a name in `JOINED_ID` names two ids, of which the service makes a person. */
export function joinsIds(line: Buffer, { distinctIdEnd }: Head, name: string): boolean {
  if (line.indexOf(KEYS.get(name)!, distinctIdEnd) < 0) return false
  const event = eventIn(line.toString('utf8'))
  if (!event || event.properties.$process_person_profile === false) return false
  const other = event.properties[JOINED_ID.get(name)!]
  return other !== undefined && other !== null && other !== ''
}
