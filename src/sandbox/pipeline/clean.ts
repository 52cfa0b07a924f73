import { isJsonObject, objectOrEmpty, parsedOrNone } from '../../text/json.ts'
import { mapValues } from '../../text/lists.ts'

type Properties = Readonly<Record<string, unknown>>

/** What becomes of an event's properties in the storage of JSON columns, as a query reads the whole of them. */
interface Cleaned {
  readonly properties: Properties
  /** The same once the temporary properties are gone; undefined where the event has none. */
  readonly lasting: Properties | undefined
  /** Paths of the nulls: names and positions joined by dots, a dot inside a name as `%2E`. */
  readonly nulls: readonly string[]
}

/** Kept for 60 days after they were stored, in a column of their own. */
const TEMPORARY = new Set(
  `$set $set_once $unset $group_set $sent_at $feature_flag_request_id
  $debug_first_full_snapshot_timestamp $snapshot_max_depth_exceeded $sess_rec_flush_size $session_recording_remote_config
  $session_recording_network_payload_capture $session_recording_canvas_recording $replay_script_config
  $lib_rate_limit_remaining_tokens $lib_custom_api_host`.split(/\s+/),
)
const TEMPORARY_PREFIX = '$sdk_debug_'

const DROPPED = new Set(
  `$ai_input $ai_output $ai_output_choices $ai_input_state $ai_output_state $ai_tools ph_product_tours
  $product_tours_activated $product_tours_enabled_server_side $surveys_activated $active_feature_flags $feature_flag_payload
  $feature_flag_payloads $feature_flag_bootstrapped_payload $feature_flag_original_payload $transformations_succeeded
  $transformations_skipped $unparseable_properties`.split(/\s+/),
)

/** Columns of text: a number or a boolean becomes its text, and an empty text reads as absent. */
const TEXTS = new Set(
  `$browser $browser_language $browser_version $config_defaults $device_type $geoip_city_name
  $geoip_continent_code $geoip_continent_name $geoip_country_code $geoip_country_name $geoip_subdivision_1_name
  $geoip_time_zone $group_0 $group_1 $group_2 $group_3 $group_4 $lib $lib_version $os $os_version $session_id $timezone
  $window_id`.split(/\s+/),
)

/** Columns of lists of texts; an empty list reads as absent. */
const LISTS = new Set(
  `$exception_functions $exception_sources $exception_types $exception_values
  $mcp_listed_tool_names`.split(/\s+/),
)

const OBJECTS = '$exception_list'
/** Of a value that can be no list of objects: it becomes text under this name. */
const ODD = Symbol('odd')
const UNPARSEABLE = '$unparseable_properties'

const FLAG = '$feature/'
const FLAGS = '$feature_flags'
/** A text "true" is stored as `$true`, for the map's `true` is a boolean's; a query turns it back, as it does what was sent
 * so. */
const MARKED = /^\$(?=(?:true|false)$)/
const MOST_ARRAYS = 8
const MOST_DEPTH = 300

/** Cleans the properties of an event. The given ones stay as they are. */
export function clean(given: Properties): Cleaned {
  if (isTooDeep(given, 0, 0)) {
    const properties = { [UNPARSEABLE]: JSON.stringify(given) }
    return { properties, lasting: undefined, nulls: [] }
  }
  // None inherits a member: `__proto__` and `constructor` are names like any other.
  const properties: Record<string, unknown> = Object.create(null)
  const lasting: Record<string, unknown> = Object.create(null)
  // What a flag's own property says counts only where the object says nothing.
  const flags: Record<string, unknown> = Object.assign(Object.create(null), objectOrEmpty(given[FLAGS]))
  const nulls: string[] = []
  let isLasting = true
  for (const [name, value] of Object.entries(given)) {
    if (DROPPED.has(name) || name === FLAGS) continue
    if (name.startsWith(FLAG)) {
      const flag = name.slice(FLAG.length)
      if (isEmpty(flags[flag])) flags[flag] = value
      continue
    }
    noteNulls(value, encode(name), nulls)
    const kept = stored(name, value)
    if (kept === ODD) properties[UNPARSEABLE] = lasting[UNPARSEABLE] = JSON.stringify({ [name]: value })
    if (kept === undefined || kept === ODD) continue
    properties[name] = kept
    if (TEMPORARY.has(name) || name.startsWith(TEMPORARY_PREFIX)) isLasting = false
    else lasting[name] = kept
  }
  const flagged = flagProperties(flags, nulls)
  Object.assign(properties, flagged)
  const read = (all: Properties) => (nulls.length > 0 ? (merged(all) as Properties) : all)
  return {
    properties: read(properties),
    lasting: isLasting ? undefined : read({ ...lasting, ...flagged }),
    nulls,
  }
}

/** Flags come back by name, in order; those that are on are listed once more. */
function flagProperties(flags: Properties, nulls: string[]): Record<string, unknown> {
  const names = Object.keys(flags).sort()
  const properties: Record<string, unknown> = {}
  const active: string[] = []
  for (const name of names) {
    const value = flags[name]
    noteNulls(value, `${FLAGS}.${encode(name)}`, nulls)
    const isWord = typeof value === 'boolean' || value === null
    const text = typeof value === 'string' ? value.replace(MARKED, '') : JSON.stringify(value)
    properties[FLAG + name] = isWord ? value : text
    if (value !== false && value !== null) active.push(name)
  }
  if (names.some((name) => flags[name] !== null)) properties.$active_feature_flags = active
  return properties
}

/** A value as its column gives it back; undefined where it reads as absent. */
function stored(name: string, value: unknown): unknown {
  if (TEXTS.has(name)) {
    if (value === '') return undefined
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  }
  const list = LISTS.has(name) ? textList(value) : name === OBJECTS ? objectList(value) : undefined
  if (list !== undefined) return list === ODD || list.length > 0 ? list : undefined
  return unmixed(withoutLongIntegers(value))
}

const isNullish = (text: string) => /^(?:null|undefined)?$/i.test(text.trim())

/** The list of texts that is made of any value. */
function textList(value: unknown): string[] {
  const text = (one: unknown) =>
    typeof one === 'string' ? one : one === null ? '' : JSON.stringify(one, (_, part) => part ?? undefined)
  if (Array.isArray(value)) return value.map(text)
  if (typeof value !== 'string') return value === null || text(value) === '{}' ? [] : [text(value)]
  const parsed = parsedOrNone(value)
  if (Array.isArray(parsed)) return textList(parsed)
  return isNullish(value) ? [] : [value]
}

/** The list of objects that is made of a value, or that none can be made of it. */
function objectList(value: unknown): readonly unknown[] | typeof ODD {
  if (Array.isArray(value)) return value.every(isJsonObject) ? value : ODD
  if (value === null || (typeof value === 'string' && isNullish(value))) return []
  if (isJsonObject(value)) return [value]
  const parsed = typeof value === 'string' ? parsedOrNone(value) : undefined
  return Array.isArray(parsed) || isJsonObject(parsed) ? objectList(parsed) : ODD
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || /^(?:""|\[\]|\{\})$/.test(JSON.stringify(value))
}

/**
 * Properties with nulls are read as those without, merged with their nulls as text. The reader of that text takes the digits of
 * a number for an integer and moves the point with one division: the last of 16 digits or more may be another then.
 */
function merged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(merged)
  if (isJsonObject(value)) return mapValues(value, merged)
  const [, whole, decimals] = (typeof value === 'number' && /^(-?\d+)\.(\d+)$/.exec(String(value))) || []
  return decimals === undefined ? value : Number(`${whole}${decimals}`) / 10 ** decimals.length
}

/** Integers beyond 64 bits are kept as texts. */
function withoutLongIntegers(value: unknown): unknown {
  if (typeof value === 'number') return isLong(value) ? String(value) : value
  if (Array.isArray(value)) return value.map(withoutLongIntegers)
  return isJsonObject(value) ? mapValues(value, withoutLongIntegers) : value
}

type Scalar = 'boolean' | 'number' | 'string'

/**
 * ClickHouse gives the members of a list one type where it can: beside numbers, true and false become 1 and 0, and beside texts
 * their words; lists in lists as well. Lists that mix more than two kinds, or hold objects, stay as they are.
 */
function unmixed(value: unknown): unknown {
  if (isJsonObject(value)) return mapValues(value, unmixed)
  if (!Array.isArray(value)) return value
  const members = value.map(unmixed)
  const kind = kindOf(members)
  return kind === undefined ? members : members.map((one) => typed(one, kind.at(-1) as Scalar))
}

/** The depth of a list's scalars, and their common kind; undefined where there is none. Nulls say nothing. */
function kindOf(members: readonly unknown[]): readonly ('list' | Scalar)[] | undefined {
  const kinds: (readonly ('list' | Scalar)[])[] = []
  for (const one of members) {
    if (one === null) continue
    const inner = Array.isArray(one) ? kindOf(one) : undefined
    const kind = Array.isArray(one) ? inner && ['list' as const, ...inner] : [typeof one as Scalar]
    if (kind === undefined || kind.at(-1) === ('object' as string)) return undefined
    kinds.push(kind)
  }
  const [first] = kinds
  if (first === undefined || kinds.some((kind) => kind.length !== first.length)) return undefined
  const scalars = new Set(kinds.map((kind) => kind.at(-1) as Scalar))
  const common = [...scalars].filter((kind) => kind !== 'boolean')
  if (common.length > 1) return undefined
  return [...first.slice(0, -1), common[0] ?? 'boolean']
}

function typed(value: unknown, kind: Scalar): unknown {
  if (Array.isArray(value)) return value.map((one) => typed(one, kind))
  if (typeof value !== 'boolean' || kind === 'boolean') return value
  return kind === 'number' ? Number(value) : String(value)
}

/** From 1e21 on, JSON writes an exponent, and the number is no integer to the service. */
function isLong(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 1e21 && (value >= 2 ** 64 || value < -(2 ** 63))
}

function noteNulls(value: unknown, path: string, nulls: string[]): void {
  if (value === null) nulls.push(path)
  else if (Array.isArray(value)) {
    // Nulls that are members of a list themselves stay in it.
    value.forEach((one, at) => {
      if (one !== null) noteNulls(one, `${path}.${at}`, nulls)
    })
  } else if (isJsonObject(value)) {
    for (const [name, one] of Object.entries(value)) noteNulls(one, `${path}.${encode(name)}`, nulls)
  }
}

function encode(name: string): string {
  return name.replaceAll('.', '%2E')
}

function isTooDeep(value: unknown, depth: number, arrays: number): boolean {
  if (depth > MOST_DEPTH || arrays > MOST_ARRAYS) return true
  if (Array.isArray(value))
    return value.some((one) => isTooDeep(one, depth + 1, arrays + 1)) || arrays + 1 > MOST_ARRAYS
  return isJsonObject(value) && Object.values(value).some((one) => isTooDeep(one, depth + 1, arrays))
}
