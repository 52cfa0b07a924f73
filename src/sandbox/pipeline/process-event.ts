import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { type CapturedEvent, distinctId } from '../ingest/event.ts'
import { uuidText } from '../ingest/uuid.ts'
import type { ProjectRules } from '../options.ts'
import type { GroupTypes, StoredEvent } from '../store/writer.ts'
import type { WarningLog, WarningType } from '../warnings.ts'
import { clean } from './clean.ts'
import { addAddress, addPlace, enrich } from './enrich.ts'
import { passed } from './event-rules.ts'

const DAY = 86_400_000_000n

/** Events that the service keeps in tables of their own. */
const ELSEWHERE = new Set(['$$heatmap', '$$client_ingestion_warning'])

/** Properties that the service takes out. Those of heatmaps become events of their own, which no query shows; the clicked
 * elements become a column. */
const TAKEN_OUT = [
  'ph_product_tours',
  '$product_tours_activated',
  '$override_feature_flag_payloads',
  '$heatmap_data',
  '$elements_chain',
]

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True if an event was more than `days` days old when it arrived. With 0 no event is too old. */
function isTooOld({ timestamp, receivedAt }: CapturedEvent, days: number): boolean {
  return days > 0 && receivedAt - timestamp > BigInt(days) * DAY
}

/** A time without what is finer than a millisecond. */
function milliseconds(micros: bigint): bigint {
  return micros - (((micros % 1000n) + 1000n) % 1000n)
}

/** Takes out what the service has no use for, and writes names and ids its way. */
function tidy(properties: Record<string, unknown>): void {
  // A delete makes an object slow, even of what it does not have.
  for (const name of TAKEN_OUT) if (name in properties) delete properties[name]
  if (properties.$os === undefined && properties.$os_name !== undefined) properties.$os = properties.$os_name
  for (const name of ['$session_id', '$window_id']) {
    const id = properties[name]
    if (typeof id === 'string' && UUID.test(id)) properties[name] = id.toLowerCase()
  }
}

const PERSON_FIELDS = ['$set', '$set_once', '$unset']
/** Events that do nothing but merge persons, and the property with the other id. */
const MERGES: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}

const MAX_NAME_UNITS = 200

/** Libraries that are known to send uuids of other versions: nobody is warned of theirs. */
const LIBS_WITHOUT_V7 = new Set(
  `web posthog-node posthog-python posthog-go posthog-ios posthog-android posthog-ruby posthog-php posthog-dotnet posthog-rs
  posthog-react-native posthog-flutter posthog-edge posthog-java posthog-chrome-extension
  posthog-capture-v1-internal`.split(/\s+/),
)

/** What the project of an event knows. */
export interface EventProject {
  readonly rules: ProjectRules
  readonly types: GroupTypes
  /** The address of the event's sender. */
  readonly sender: string
  readonly warnings: Pick<WarningLog, 'add'>
}

/** What the service does with an event between ingestion and its store. Undefined: it drops the event. */
export function processEvent(arrived: CapturedEvent, project: EventProject): StoredEvent | undefined {
  const { event } = arrived
  const { rules, types, sender } = project
  const captured = passed(rules.eventRules, arrived, (type, details) =>
    warnOf(arrived, project, type, { ...details }),
  )
  if (!captured) return undefined
  const warn = (type: WarningType, more: Readonly<Record<string, unknown>> = {}): undefined =>
    warnOf(captured, project, type, more)
  const properties: Record<string, unknown> = { ...captured.properties }
  // The project has not turned cookieless tracking on.
  if (properties.$cookieless_mode === true) return undefined
  if (ELSEWHERE.has(event)) return undefined
  if (isTooOld(captured, rules.dropEventsOlderThan)) return warn('event_dropped_too_old')
  warnOfFlaws(captured, warn)
  const { $process_person_profile: word, $elements_chain: chain } = properties
  // True is what all events without it mean.
  if (word === true) delete properties.$process_person_profile
  const isAsked = word !== false
  const otherId = Object.hasOwn(MERGES, event) ? MERGES[event] : undefined
  if (!isAsked && otherId) return warn('invalid_event_when_process_person_profile_is_false')
  const profile = isAsked && !captured.personless
  if (!profile) properties.$process_person_profile = false
  addAddress(properties, sender)
  addPlace(properties)
  tidy(properties)
  const changesPerson = profile && event !== '$groupidentify'
  if (!changesPerson) for (const field of PERSON_FIELDS) delete properties[field]
  const copies = changesPerson && enrich(properties)
  const timestamp = milliseconds(captured.timestamp)
  const indexOf = (type: string) => types.indexOf(type, { timestamp, receivedAt: captured.receivedAt })
  if (profile) addGroups(properties, indexOf)
  else dropGroups(properties)
  const flaw = profile && event === '$groupidentify' ? identifyGroup(properties, indexOf) : undefined
  if (flaw) warn(flaw, { groupKey: properties.$group_key })
  if (flaw === 'group_key_too_long') return undefined
  const text = jsonText(properties)
  const { maxMessageBytes } = rules
  if (maxMessageBytes > 0 && Buffer.byteLength(text) > maxMessageBytes) return warn('message_size_too_large')
  return {
    uuid: captured.uuid,
    event: event.slice(0, MAX_NAME_UNITS),
    distinctId: captured.distinctId,
    timestamp,
    properties: text,
    ...cleanedTexts(properties, text),
    elementsChain: typeof chain === 'string' ? chain : '',
    historical: captured.historical,
    receivedAt: captured.receivedAt,
    profile,
    copies,
    set: objectText(properties.$set),
    setOnce: objectText(properties.$set_once),
    unset: namesText(properties.$unset),
    groups: groupColumns(properties),
    joins: (profile && otherId && distinctId(properties[otherId], undefined)) || null,
  }
}

/** Warns of what doesn't keep an event from being stored. */
function warnOfFlaws(
  { uuid, properties, ignoredTime, isCut }: CapturedEvent,
  warn: (type: WarningType, more?: Readonly<Record<string, unknown>>) => void,
): void {
  const { $lib: lib, $process_person_profile: word } = properties
  const isOdd = typeof lib === 'string' && lib !== '' && !LIBS_WITHOUT_V7.has(lib)
  if (isOdd && ((uuid >> 76n) & 0xfn) !== 7n) warn('event_uuid_not_v7', { lib })
  if (ignoredTime) warn('ignored_invalid_timestamp', { field: 'timestamp', ...ignoredTime })
  if (isCut) warn('distinct_id_truncated')
  // It counts as absent.
  if (word !== undefined && typeof word !== 'boolean') warn('invalid_process_person_profile')
}

/** Nothing more becomes of an event whose warning is returned. */
function warnOf(
  { uuid, event, distinctId }: CapturedEvent,
  { warnings }: EventProject,
  type: WarningType,
  more: Readonly<Record<string, unknown>>,
): undefined {
  const eventUuid = uuidText(uuid)
  const { groupKey, lib } = more
  const details = { eventUuid, event, distinctId, ...more }
  // An hour passes until it warns of a library again.
  const key = typeof lib === 'string' ? { hourlyKey: lib } : {}
  warnings.add({
    type,
    eventUuid,
    distinctId,
    details,
    ...key,
    ...(typeof groupKey === 'string' && { groupKey }),
  })
}

function cleanedTexts(properties: JsonObject, text: string) {
  const { properties: cleaned, lasting, nulls } = clean(properties)
  const cleanedText = jsonText(cleaned)
  return {
    cleaned: cleanedText === text ? null : cleanedText,
    lasting: lasting ? jsonText(lasting) : null,
    nulls: nulls.length > 0 ? jsonText(nulls) : null,
  }
}

function objectText(value: unknown): string | null {
  return isJsonObject(value) ? jsonText(value) : null
}

/** JSON text without unpaired surrogates, which the store can't read. */
function jsonText(value: JsonObject | readonly string[]): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\ud')) return text
  return text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (unit) => (unit === '\\\\' ? unit : '\ufffd'))
}

/** `$unset` is a list of names; an object's names count too. */
function namesText(value: unknown): string | null {
  if (!Array.isArray(value) && !isJsonObject(value)) return null
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : Object.keys(value)
  return JSON.stringify(names)
}

/** Gives the index of a group type. A new type is made, if there is room for it. */
type GroupTypeIndex = (type: string) => number | undefined

const MAX_KEY_UNITS = 400
const COLUMNS = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4']

/** Writes the key of each group of an event into its `$group_0` to `$group_4`. Groups of a sixth type have no place. */
function addGroups(properties: Record<string, unknown>, indexOf: GroupTypeIndex): void {
  const { $groups } = properties
  // Of a list, too: its types are called 0, 1 and so on.
  for (const [type, key] of Object.entries($groups ?? {})) {
    const index = indexOf(type)
    if (index !== undefined) properties[`$group_${index}`] = key
  }
}

/** Takes the groups of an event without a person away. What the sender says of its groups stays. */
function dropGroups(properties: Record<string, unknown>): void {
  for (const column of COLUMNS) delete properties[column]
}

/** The five columns of a query, null where the event has no such group. */
function groupColumns(properties: Readonly<Record<string, unknown>>): readonly (string | null)[] {
  return COLUMNS.map((column) => {
    const key = properties[column]
    return key === undefined ? null : typeof key === 'string' ? key : JSON.stringify(key)
  })
}

/** Makes the type that a `$groupidentify` names, or says what is wrong: an event with too long a key is dropped. */
function identifyGroup(
  properties: Record<string, unknown>,
  indexOf: GroupTypeIndex,
): 'group_key_too_long' | 'invalid_group_set' | undefined {
  const { $group_type: type, $group_key: key, $group_set: fields } = properties
  if (String(key).length > MAX_KEY_UNITS) return 'group_key_too_long'
  if (typeof key === 'string') properties.$group_key = key.replaceAll('\0', '\ufffd')
  if (typeof type === 'string' && type !== '' && isJsonObject(fields)) indexOf(type)
  return fields === undefined || isJsonObject(fields) ? undefined : 'invalid_group_set'
}
