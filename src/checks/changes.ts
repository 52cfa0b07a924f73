import { UNPARSEABLE } from '../record/stored-properties.ts'
import type { SentEvent } from './event-in.ts'
import { nameInService } from './expected.ts'
import { isJsonObject, type JsonObject, jsonEqual } from './json-equal.ts'
import { knownChange } from './known-changes.ts'
import type { FoundEvent } from './service-view.ts'
import { ownOf } from './stored-form.ts'

/** A value that is another in the service than here. Values are JSON text; null if the value is absent. */
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

/** The number of characters at which the service cuts a distinct id. */
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

function changesOf(given: SentEvent, row: FoundEvent) {
  const changes: Change[] = []
  const known: string[] = []
  const properties = parsedProperties(row.properties)
  const sent = asNamedThere(given, properties)
  if (sent !== given) known.push('dots')
  const [here, there] = [toMillis(sent.timestamp), toMillis(row.timestamp)]
  if (here !== there) changes.push(changeOf(sent, 'timestamp', here, there))
  if (isUnparseable(sent, properties)) {
    changes.push(changeOf(sent, UNPARSEABLE_PROPERTY, undefined, properties[UNPARSEABLE]))
    return { changes, known }
  }
  for (const name of new Set([...Object.keys(sent.properties), ...Object.keys(properties)])) {
    const pair = { name, here: ownOf(sent.properties, name), there: ownOf(properties, name) }
    if (jsonEqual(pair.here, pair.there)) continue
    const { event, properties: all } = sent
    const { elementsChain, ageDays } = row
    const kind = knownChange({ ...pair, event, properties: all, elementsChain, ageDays })
    if (kind === undefined) changes.push(changeOf(sent, `properties.${name}`, pair.here, pair.there))
    else known.push(kind)
  }
  return { changes, known }
}

/** The property under which an event's properties are one text, which no query reads into. */
export const UNPARSEABLE_PROPERTY = `properties.${UNPARSEABLE}`

function isUnparseable(sent: SentEvent, there: JsonObject): boolean {
  return Object.hasOwn(there, UNPARSEABLE) && !Object.hasOwn(sent.properties, UNPARSEABLE)
}

/** The service keeps a dot in a name as `%2E` in its columns: a name that was sent so comes back with a dot. */
function asNamedThere(sent: SentEvent, there: JsonObject): SentEvent {
  const own = sent.properties
  const dotted = (name: string) => name.replaceAll(/%2E/gi, '.')
  const isRenamed = (name: string) =>
    dotted(name) !== name && !Object.hasOwn(there, name) && !Object.hasOwn(own, dotted(name))
  if (!Object.keys(own).some(isRenamed)) return sent
  const entries = Object.entries(own).map(([name, value]) => [isRenamed(name) ? dotted(name) : name, value])
  return { ...sent, properties: Object.fromEntries(entries) as JsonObject }
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
