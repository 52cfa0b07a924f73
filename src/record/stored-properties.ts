import { ByteWriter } from './byte-writer.ts'
import { stringEnd } from './bytes.ts'

// How PostHog keeps events from 30 November 2026 on: a cleaner stands between its queue and the table, and what it does to
// a property follows from the property's name and kind. A self-hosted server may keep its old form, which does none of this.
// `src/sandbox/pipeline/clean.ts` plays the cleaner from a list of its own; a test holds the two against each other.

/** What becomes of a property for its name, whatever its value. */
export type StoredFate = 'temporary' | 'dropped' | 'flag' | 'text' | 'list' | 'objects'

interface StoredRule {
  readonly names: readonly string[]
  readonly prefixes: readonly string[]
  /** What becomes of them, to follow their names. */
  readonly becomes: string
}

/** Temporary properties are gone so many days after the event was stored, whatever the event's own time. */
export const TEMPORARY_DAYS = 60
/** An array may hold an array, and so on, so many in all; objects between them don't count. */
export const MOST_ARRAYS = 8
/** The most objects and arrays inside one another. */
export const MOST_NESTED = 300
/** The name that holds all properties of an event as one text, where one of them is nested deeper. */
export const UNPARSEABLE = '$unparseable_properties'
/** In bytes: Capture V1 drops an event with a longer distinct_id; `/batch/` cuts it at so many characters. */
export const MOST_ID_BYTES = 200
/** Events of this name are kept apart: a query of `events` doesn't see them. */
export const APART_EVENT = '$feature_flag_called'

const words = (text: string) => text.trim().split(/\s+/)

/** The whole table, in the order of the documentation. */
export const STORED: Readonly<Record<StoredFate, StoredRule>> = {
  temporary: {
    names: words(`
      $set $set_once $unset $group_set $sent_at $feature_flag_request_id $debug_first_full_snapshot_timestamp
      $snapshot_max_depth_exceeded $sess_rec_flush_size $session_recording_remote_config
      $session_recording_network_payload_capture $session_recording_canvas_recording $replay_script_config
      $lib_rate_limit_remaining_tokens $lib_custom_api_host`),
    prefixes: ['$sdk_debug_'],
    becomes: `can be read for ${TEMPORARY_DAYS} days after the import, then they are gone`,
  },
  dropped: {
    names: words(`
      $ai_input $ai_output $ai_output_choices $ai_input_state $ai_output_state $ai_tools ph_product_tours
      $product_tours_activated $product_tours_enabled_server_side $surveys_activated $active_feature_flags
      $feature_flag_payload $feature_flag_payloads $feature_flag_bootstrapped_payload $feature_flag_original_payload
      $transformations_succeeded $transformations_skipped ${UNPARSEABLE}`),
    prefixes: [],
    becomes: 'are dropped',
  },
  flag: {
    names: [],
    prefixes: ['$feature/'],
    becomes:
      'move to the map $feature_flags, their values as text; a text "true" or "false" is stored as $true or $false',
  },
  text: {
    names: words(`
      $browser $browser_language $browser_version $config_defaults $device_type $geoip_city_name $geoip_continent_code
      $geoip_continent_name $geoip_country_code $geoip_country_name $geoip_subdivision_1_name $geoip_time_zone $group_0
      $group_1 $group_2 $group_3 $group_4 $lib $lib_version $os $os_version $session_id $timezone $window_id`),
    prefixes: [],
    becomes: 'are text: a number, true or false becomes its text, and an empty text reads as none',
  },
  list: {
    names: words(
      '$exception_functions $exception_sources $exception_types $exception_values $mcp_listed_tool_names',
    ),
    prefixes: [],
    becomes:
      'are lists of text: any other value becomes such a list, any other element its JSON, and an empty list reads as none',
  },
  objects: {
    names: ['$exception_list'],
    prefixes: [],
    becomes: `is a list of objects: an object, or JSON text of them, becomes such a list, and what can't goes to ${UNPARSEABLE}`,
  },
}

const BY_NAME = new Map(
  Object.entries(STORED).flatMap(([fate, { names }]) => names.map((name) => [name, fate as StoredFate])),
)
const BY_PREFIX = Object.entries(STORED).flatMap(([fate, { prefixes }]) =>
  prefixes.map((prefix) => [prefix, fate as StoredFate] as const),
)

/** What becomes of the properties of a name; undefined for those that stay as they are. */
export function storedFate(name: string): StoredFate | undefined {
  return BY_NAME.get(name) ?? BY_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1]
}

const QUOTE = 0x22
const OPEN = 0x5b
const CLOSE = 0x5d

/** True if the bytes hold so many brackets that arrays may be nested too deep: that is known without a look at the text. */
export function mayBeDeep(bytes: Buffer, from: number, end: number): boolean {
  let at = from - 1
  for (let count = 0; count <= MOST_ARRAYS; count++) {
    at = bytes.indexOf(OPEN, at + 1)
    if (at < 0 || at >= end) return false
  }
  return true
}

/** True if arrays are nested deeper in a JSON value than the service can read, objects between them not counted. */
export function hasDeepArrays(bytes: Buffer, start: number, end: number): boolean {
  let open = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = stringEnd(bytes, i) - 1
    else if (byte === CLOSE) open--
    else if (byte === OPEN && ++open > MOST_ARRAYS) return true
  }
  return false
}

/**
 * Copies a JSON object; each array of it that is nested too deep becomes a string of its own text, byte for byte. The
 * object keeps its members: only arrays in no other array become text. Undefined where none is; `count` is told of each.
 */
export function deepAsText(bytes: Buffer, start: number, end: number, count: () => void): Buffer | undefined {
  let made: ByteWriter | undefined
  let copied = start
  for (let i = start; i < end; i++) {
    if (bytes[i] === QUOTE) i = stringEnd(bytes, i) - 1
    if (bytes[i] !== OPEN) continue
    const after = arrayEnd(bytes, i)
    if (hasDeepArrays(bytes, i, after)) {
      made ??= new ByteWriter(end - start + 64)
      made.copy(bytes, copied, i)
      made.json(bytes.toString('utf8', i, after))
      count()
      copied = after
    }
    i = after - 1
  }
  made?.copy(bytes, copied, end)
  return made?.bytes.subarray(0, made.length)
}

function arrayEnd(bytes: Buffer, at: number): number {
  let open = 0
  for (let i = at; ; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = stringEnd(bytes, i) - 1
    else if (byte === OPEN) open++
    else if (byte === CLOSE && --open === 0) return i + 1
  }
}
