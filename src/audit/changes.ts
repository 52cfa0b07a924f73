import type { SentEvent } from './event-in.ts'
import { nameInService } from './expected.ts'
import { isJsonObject, type JsonObject, jsonEqual } from './json-equal.ts'
import { knownChange } from './known-changes.ts'
import type { FoundEvent } from './service-view.ts'

/** A value that is another in the service than here. Values are JSON text; null where there is none. */
export interface Change {
  readonly day: string
  readonly event: string
  readonly uuid: string
  readonly distinctId: string
  /** `distinct_id`, `timestamp`, or `properties.` and the name of a property. */
  readonly property: string
  readonly here: string | null
  readonly there: string | null
}

/** What the service stored of an event. */
export interface Compared {
  /** False: it has no event with this uuid and name on this day. */
  readonly found: boolean
  readonly changes: readonly Change[]
  /** Changes that the service is known to make, by kind. */
  readonly known: readonly string[]
}

/** A text of so many characters, at which the service cuts a distinct id. */
const MOST_ID_CHARACTERS = 200

/**
 * Compares an event with what the service has under its uuid and name, value by value; with each copy, for the service may keep any
 * of them. Numbers are compared as the service's own programs read them: those over 2^53 are rounded on both sides.
 */
export function compareEvent(sent: SentEvent, rows: readonly FoundEvent[]): Compared {
  const named = rows.filter(({ event }) => nameInService(event) === nameInService(sent.event))
  const own = named.filter(({ distinctId }) => distinctId === idInService(sent.distinct_id))
  const [other] = named
  if (own.length === 0 && other) {
    return {
      found: true,
      changes: [changeOf(sent, 'distinct_id', sent.distinct_id, other.distinctId)],
      known: [],
    }
  }
  // The copies of an event differ seldom: what holds for the last of them is said of the event.
  let compared = { changes: [] as readonly Change[], known: [] as readonly string[] }
  for (const row of own) {
    compared = changesOf(sent, row)
    if (compared.changes.length > 0) break
  }
  return { found: own.length > 0, ...compared }
}

function changesOf(sent: SentEvent, row: FoundEvent) {
  const changes: Change[] = []
  const known: string[] = []
  const [here, there] = [toMillis(sent.timestamp), toMillis(row.timestamp)]
  if (here !== there) changes.push(changeOf(sent, 'timestamp', here, there))
  const properties = parsedProperties(row.properties)
  for (const name of new Set([...Object.keys(sent.properties), ...Object.keys(properties)])) {
    const pair = { name, here: ownOf(sent.properties, name), there: ownOf(properties, name) }
    if (jsonEqual(pair.here, pair.there)) continue
    const { event, properties: all } = sent
    const kind = knownChange({ ...pair, event, properties: all, elementsChain: row.elementsChain })
    if (kind === undefined) changes.push(changeOf(sent, `properties.${name}`, pair.here, pair.there))
    else known.push(kind)
  }
  return { changes, known }
}

/** `2024-03-01T12:34:56.789Z` of a time with any decimals: the service keeps milliseconds. */
function toMillis(time: string): string {
  const [, day, clock, decimals = ''] = /^(\S{10})[T ]([\d:]{8})(?:\.(\d*))?/.exec(time) ?? []
  return `${day}T${clock}.${decimals.padEnd(3, '0').slice(0, 3)}Z`
}

function idInService(distinctId: string): string {
  const stored = distinctId.replaceAll('\0', '\ufffd')
  return stored.length > MOST_ID_CHARACTERS ? [...stored].slice(0, MOST_ID_CHARACTERS).join('') : stored
}

function parsedProperties(text: string): JsonObject {
  const value: unknown = JSON.parse(text === '' ? '{}' : text)
  return isJsonObject(value) ? value : {}
}

function ownOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function changeOf(sent: SentEvent, property: string, here: unknown, there: unknown): Change {
  const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const { uuid, event, distinct_id: distinctId, timestamp } = sent
  return {
    day: timestamp.slice(0, 10),
    event,
    uuid,
    distinctId,
    property,
    here: text(here),
    there: text(there),
  }
}
