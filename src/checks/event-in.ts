import type { Head } from '../record/head.ts'
import { isJsonObject, type JsonObject } from '../text/json.ts'

export interface SentEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** `2024-03-01T12:34:56.789123Z` */
  readonly timestamp: string
  readonly properties: JsonObject
}

/**
 * The event that the text of an event line holds. Undefined for a line that somebody made by hand, which is no JSON behind
 * its head, or whose properties are no object: the service judges it.
 */
export function eventIn(text: string, parse: (json: string) => unknown = JSON.parse): SentEvent | undefined {
  try {
    const event = parse(text)
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

const TEXTS = ['uuid', 'event', 'distinct_id', 'timestamp']

function isEvent(value: unknown): value is SentEvent {
  return (
    isJsonObject(value) &&
    isJsonObject(value.properties) &&
    TEXTS.every((name) => typeof value[name] === 'string')
  )
}

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
