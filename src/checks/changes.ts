import { nameInService } from '../record/fingerprint.ts'
import { COPIED_TO_PERSON, GROUP_EVENT } from '../record/rules.ts'
import { storedFate, TEMPORARY_DAYS, UNPARSEABLE } from '../record/stored-properties.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'
import type { ArrivedValues } from '../service/arrived-events.ts'
import { isJsonObject, type JsonObject, ownOf } from '../text/json.ts'
import type { SentEvent } from './event-in.ts'
import {
  columnEqual,
  hasMixedList,
  hasNull,
  isNothing,
  isTextOf,
  jsonEqual,
  objectsOf,
  storedEqual,
  withDigitsOf,
} from './stored-form.ts'

/** A value that is another in the service than here. Values are JSON text; null if the value is absent. */
export interface Change {
  readonly day: string
  readonly event: string
  readonly uuid: string
  readonly distinct_id: string
  /** `distinct_id`, `timestamp`, or `properties.` and the name of a property. */
  readonly property: string
  readonly here: string | null
  readonly service: string | null
}

interface Compared {
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
export function compareEvent(sent: SentEvent, rows: readonly ArrivedValues[]): Compared {
  const named = rows.filter(({ event }) => nameInService(event) === nameInService(sent.event))
  const own = named.filter(({ distinctId }) => distinctId === idInService(sent.distinct_id))
  const [other] = named
  if (own.length === 0 && other) {
    const change = changeOf(sent, 'distinct_id', sent.distinct_id, other.distinctId)
    return { found: true, changes: [change], known: [] }
  }
  // The copies of an event differ seldom: what holds for the last of them is said of the event.
  let compared = { changes: [] as readonly Change[], known: [] as readonly string[] }
  for (const row of own) {
    compared = changesOf(sent, row)
    if (compared.changes.length > 0) break
  }
  return { found: own.length > 0, ...compared }
}

function changesOf(given: SentEvent, row: ArrivedValues) {
  const changes: Change[] = []
  const known: string[] = []
  const properties = parsedProperties(row.properties)
  const flagged = withFlags(given, properties)
  if (flagged !== given) known.push('feature_flags')
  const sent = asNamedThere(flagged, properties)
  if (sent !== flagged) known.push('dots')
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
    const change = { ...pair, event, properties: all, elementsChain, ageDays }
    const kind = Object.keys(KNOWN).find((name) => KNOWN[name]!(change))
    if (kind === undefined) changes.push(changeOf(sent, `properties.${name}`, pair.here, pair.there))
    else known.push(kind)
  }
  return { changes, known }
}

/** The property under which an event's properties are one text, which no query reads into. */
export const UNPARSEABLE_PROPERTY = `properties.${UNPARSEABLE}`

function isUnparseable(sent: SentEvent, there: JsonObject): boolean {
  const isOwn = Object.hasOwn(sent.properties, UNPARSEABLE) || isOddList(sent.properties)
  return Object.hasOwn(there, UNPARSEABLE) && !isOwn
}

/** True if PostHog keeps only this list of an event as text: it can be no list of objects. */
function isOddList(properties: JsonObject): boolean {
  return objectsOf(ownOf(properties, '$exception_list')) === undefined
}

/** The flags of an object `$feature_flags` come back as properties of their own, where the storage has a map of them. */
function withFlags(sent: SentEvent, there: JsonObject): SentEvent {
  const { [FLAGS]: flags, ...properties } = sent.properties
  if (!isJsonObject(flags) || Object.hasOwn(there, FLAGS)) return sent
  const named = Object.entries(flags).filter(([, value]) => !isNothing(value) && value !== '')
  const own = Object.fromEntries(named.map(([name, value]) => [FLAG + name, value]))
  return { ...sent, properties: { ...properties, ...own } as JsonObject }
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
  const { uuid, event, distinct_id, timestamp } = sent
  const day = timestamp.slice(0, 10)
  return { day, event, uuid, distinct_id, property, here: text(here), service: text(there) }
}

/** A property of an event, here and in the service; undefined where it has none. */
interface PropertyPair {
  readonly name: string
  readonly here: unknown
  readonly there: unknown
  readonly event: string
  /** All its properties here. */
  readonly properties: JsonObject
  /** The service's column for clicked elements. */
  readonly elementsChain: string
  /** Since when the service has the event, in days. */
  readonly ageDays: number
}

/** Properties that the service takes out: it has a column for them, or another table, or no use. */
const TAKEN_OUT = new Set([
  'distinct_id',
  'ph_product_tours',
  '$product_tours_activated',
  '$override_feature_flag_payloads',
  '$heatmap_data',
])

/** Properties that the service adds for itself. */
const NOTES =
  /^\$(?:group_[0-4]|sent_at|ignore_sent_at|(?:transformations|plugins)_(?:succeeded|failed|skipped|deferred))$/

const OF_PERSON = new Set(['$set', '$set_once', '$unset'])

const FLAG = '$feature/'
const FLAGS = '$feature_flags'
/** Stored in place of a text "true" or "false", for flags that are true or false are texts as well. */
const MARKS: Readonly<Record<string, string>> = {
  true: '$true',
  false: '$false',
  $true: 'true',
  $false: 'false',
}
const FLAGS_ON = '$active_feature_flags'

/**
 * What the service, and `import --file`, are known to change: read in the service's source (capture and ingestion, 2026).
 * Those from `temporary` on are of its storage from 30 November 2026, which a server that was not changed does not have.
 */
const KNOWN: Readonly<Record<string, (pair: PropertyPair) => boolean>> = {
  // What an event says of browser, campaign and place is set on the person too.
  person_properties: ({ name, here, there, properties }) =>
    (name === '$set' || name === '$set_once') && isEnriched(here ?? {}, there, properties),
  // Events without a person, and group events, set no person properties.
  no_person: ({ name, there, event, properties }) =>
    OF_PERSON.has(name) &&
    there === undefined &&
    (event === GROUP_EVENT || properties.$process_person_profile === false),
  person_profile: ({ name, here, there }) =>
    name === '$process_person_profile' && here === true && there === undefined,
  // The place of the address, unless the event asks not to look it up.
  geoip: ({ name, properties }) => name.startsWith('$geoip_') && !properties.$geoip_disable,
  // The sender's address where the event has none; none where the project keeps none.
  ip: ({ name, here, there }) =>
    name === '$ip' && (here === undefined || here === '' || there === undefined || there === null),
  elements: ({ name, here, there, elementsChain }) =>
    there === undefined && (name === '$elements' || (name === '$elements_chain' && here === elementsChain)),
  os: ({ name, here, there, properties }) =>
    name === '$os' && here === undefined && there === properties.$os_name,
  session_id: ({ name, here, there }) =>
    (name === '$session_id' || name === '$window_id') &&
    typeof here === 'string' &&
    here.toLowerCase() === there,
  taken_out: ({ name, there }) => there === undefined && TAKEN_OUT.has(name),
  import_id: ({ name, here, there }) =>
    // Missing events of a dataset that has no ids may have come by a file.
    name === '$import_job_id' && here === undefined && there === FILE_IMPORT_ID,
  notes: ({ name, here }) => here === undefined && NOTES.test(name),
  // Kept for a while after the event was stored: what is gone before is lost.
  temporary: ({ name, there, ageDays }) =>
    storedFate(name) === 'temporary' && there === undefined && ageDays >= TEMPORARY_DAYS,
  // The list of flags that are on is made anew from the flags.
  dropped: ({ name, there, properties }) =>
    storedFate(name) === 'dropped' &&
    (there === undefined || (name === FLAGS_ON && isListOfFlags(there, properties))),
  feature_flags: ({ name, here, there }) =>
    name.startsWith(FLAG) &&
    (isTextOf(here, there) || (typeof here === 'string' && there !== undefined && MARKS[here] === there)),
  text_columns: ({ name, here, there }) => columnEqual(name, here, there),
  odd_exceptions: ({ name, here, properties }) =>
    name === UNPARSEABLE && here === undefined && isOddList(properties),
  mixed_lists: ({ here, there }) => hasMixedList(here) && storedEqual(here, there),
  nulls_and_long_integers: ({ here, there }) => here !== undefined && storedEqual(here, there),
  digits_beside_nulls: ({ here, there, properties }) =>
    hasNull(properties) && storedEqual(here, withDigitsOf(here, there)),
}

/** True if `there` has all that `here` has, and besides only what the service adds by itself. */
function isEnriched(here: unknown, there: unknown, properties: JsonObject): boolean {
  if (!isJsonObject(here) || !isJsonObject(there)) return false
  return (
    Object.entries(there).every(
      ([name, value]) => Object.hasOwn(here, name) || isAdded(name, value, properties),
    ) && Object.entries(here).every(([name, value]) => storedEqual(value, ownOf(there, name)))
  )
}

function isListOfFlags(there: unknown, properties: JsonObject): boolean {
  const flags = Object.entries(properties).filter(([name]) => name.startsWith(FLAG))
  const on = flags
    .filter(([, value]) => value !== false && value !== null)
    .map(([name]) => name.slice(FLAG.length))
  return Array.isArray(there) && storedEqual([...on].sort(), [...there].sort())
}

/** True for a place, and for a copy of the event's own property. */
function isAdded(name: string, value: unknown, properties: JsonObject): boolean {
  const plain = name.replace(/^\$initial_/, '')
  if (/^\$?geoip_/.test(plain)) return !properties.$geoip_disable
  const source = [name, plain, `$${plain}`].find((each) => COPIED_TO_PERSON.has(each))
  if (source === undefined) return false
  const own = source === '$os' && properties.$os === undefined ? properties.$os_name : properties[source]
  return own !== undefined && storedEqual(own, value)
}
