import { GROUP_EVENT } from '../record/group-event.ts'
import { COPIED_TO_PERSON } from '../record/person-writes.ts'
import { storedFate, TEMPORARY_DAYS } from '../record/stored-properties.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'
import { isJsonObject, type JsonObject } from './json-equal.ts'
import { columnEqual, isTextOf, ownOf, storedEqual } from './stored-form.ts'

/** A property of an event, here and in the service; undefined where it has none. */
export interface PropertyPair {
  readonly name: string
  readonly here: unknown
  readonly there: unknown
  /** The event's name. */
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
  nulls_and_long_integers: ({ here, there }) => here !== undefined && storedEqual(here, there),
}

/** The kind of a change that the service is known to make; undefined for one that it should not have made. */
export function knownChange(pair: PropertyPair): string | undefined {
  return Object.keys(KNOWN).find((kind) => KNOWN[kind]!(pair))
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

/** True for a list of the event's flags that are on. */
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
