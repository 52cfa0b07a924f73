import { objectOrEmpty } from '../text/json.ts'
import { MICROS_PER_DAY, MICROS_PER_HOUR } from '../text/units.ts'

/** The service sets an event more than 23 h ahead of its clock to now. An hour less: clocks differ. */
const MAX_AHEAD = 22 * MICROS_PER_HOUR

/** The share of rejected records above which a transform stops, unless it is told another. */
export const USUAL_REJECT_RATIO = 0.1

/** Why a record can't be sent: `reason` is a word that scripts and summaries count by. */
export interface Refusal {
  readonly reason: string
  readonly message: string
  /** Whose event it is, when that could be read: the reject keeps its place among the events of that id. */
  readonly distinctId?: string
}

/** The service cuts a longer distinct_id, which would merge people who share the first 200 characters. */
export const MAX_DISTINCT_ID = 200

/** The service takes about 1,000,000 bytes of an event as JSON inside JSON, whose quotes and escapes need the rest. */
export const MAX_EVENT_BYTES = 900_000

/** In bytes of UTF-8. The one route of the service drops an event of a longer name, the other cuts it somewhere else. */
export const MAX_EVENT_NAME = 200

/** An event's name as the service will store it: verify counts by this name. */
export interface EventName {
  readonly text: string
  readonly cut: boolean
}

/** The name with NUL replaced, and cut after the last character that fits. */
export function cleanEventName(given: string): EventName {
  const text = given.includes('\0') ? given.replace(/\0/g, '\ufffd') : given
  // A unit of UTF-16 has three bytes at most.
  if (text.length * 3 <= MAX_EVENT_NAME || Buffer.byteLength(text) <= MAX_EVENT_NAME)
    return { text, cut: false }
  const bytes = Buffer.from(text.slice(0, MAX_EVENT_NAME))
  let end = MAX_EVENT_NAME
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return { text: bytes.toString('utf8', 0, end), cut: true }
}

/** A distinct_id as the service will store it (outer blanks cut, NUL replaced), or why it can't be sent. */
export function cleanDistinctId(text: string): string | Refusal {
  if (text.length <= MAX_DISTINCT_ID && isPlain(text)) return text
  const cleaned = withoutBlanks(text.includes('\0') ? text.replace(/\0/g, '\ufffd') : text)
  if (cleaned === '') return { reason: 'distinct_id_missing', message: 'distinct_id is missing or blank' }
  if (cleaned.length > MAX_DISTINCT_ID && [...cleaned].length > MAX_DISTINCT_ID) {
    const length = [...cleaned].length
    return {
      reason: 'distinct_id_too_long',
      message: `distinct_id has ${length} characters, the service keeps 200`,
    }
  }
  return cleaned
}

/** What the service takes for a blank, and the byte order mark, which nobody sees either. */
const BLANK = /[\s\u0085]/

/** Without what the service takes for blanks at its ends. A pattern with `+$` would take the square of the length of a run of blanks. */
export function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && BLANK.test(text[from]!)) from++
  while (from < to && BLANK.test(text[to - 1]!)) to--
  return text.slice(from, to)
}

/** True for printable ASCII without blanks, as most ids are: nothing to clean. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit <= 0x20 || unit >= 0x7f) return false
  }
  return text !== ''
}

/** Refuses times that the service would turn into something else. `now` in microseconds. */
export function checkInstant(instant: number, now: number): Refusal | undefined {
  if (!(instant >= MICROS_PER_DAY)) {
    return { reason: 'timestamp_too_old', message: 'timestamp is in the first day of 1970 or before it' }
  }
  if (instant > now + MAX_AHEAD) {
    return { reason: 'timestamp_in_future', message: 'timestamp is more than 22 hours ahead of the clock' }
  }
  return undefined
}

/** Refuses an event line that the service has no room for. */
export function checkSize(bytes: number): Refusal | undefined {
  if (bytes <= MAX_EVENT_BYTES) return undefined
  return {
    reason: 'event_too_large',
    message: `the event has ${bytes} bytes, the service takes ${MAX_EVENT_BYTES}`,
  }
}

const SCAN_WORDS: Readonly<Record<string, string>> = {
  bad_json: 'not valid JSON',
  bad_utf8: 'not valid UTF-8',
  trailing_bytes: 'something follows the JSON object',
  too_deep: 'nested more than 100 levels deep',
  too_many_members: 'more than 131,072 members, for which an event has no room',
  not_an_object: 'JSON, but not an object',
}

/** What lines are that often stand where JSON should, and what to do. */
const OTHER_LINES: ReadonlyArray<readonly [begins: RegExp, words: string]> = [
  // Source: Mixpanel's docs on the export API, "terminated early".
  [/^\s*(?:export )?terminated early\b/i, 'this export was cut short: fetch it again'],
  [/^\s*\[?\{\s*'/, 'a dict as Python prints it, not JSON: write it with json.dumps'],
  [/^\s*(?:<!doctype html|<html)/i, 'an HTML page, not JSON: an error or a sign-in in place of the data'],
]
const LINE_BEGINNING = 64

/**
 * The refusal of a line that the scanner failed on; `at` counts from the line's first byte. `line`: its bytes, of which the
 * first may tell what it is.
 */
export function scanRefusal(reason: string, at: number, line: Buffer = Buffer.alloc(0)): Refusal {
  const begins = line.toString('latin1', 0, LINE_BEGINNING)
  const other = OTHER_LINES.find(([pattern]) => pattern.test(begins))?.[1]
  return { reason, message: `${other ?? SCAN_WORDS[reason] ?? reason} (byte ${at} of the line)` }
}

/** The refusal of a line over the reader's cap. */
export function tooLongRefusal(length: number): Refusal {
  return { reason: 'line_too_long', message: `the line has ${length} bytes; it was skipped, not read` }
}

/** The event that the service's pipeline acts on; import sends another name only when told to. */
export const GROUP_EVENT = '$groupidentify'

/** What group events are called in sources: the pipeline's name, and the one in the service's documentation. */
export const GROUP_EVENT_NAMES: readonly string[] = [GROUP_EVENT, '$group_identify']

/** In characters: the service drops a group event whose key is longer. */
export const MAX_GROUP_KEY = 400

/** The distinct_id of group events: one of their own, never a person's. */
export function groupSender(type: string, key: string): string {
  return [...`$${type}_${key}`].slice(0, 200).join('').trim()
}

/** Properties of an event that the service copies to its person: as `$set`, and the first of them as `$initial_…`. */
export const COPIED_TO_PERSON: ReadonlySet<string> = new Set(
  [
    '$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname',
    '$os $os_name $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height',
    '$viewport_width $raw_user_agent utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid',
    'gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid',
    '_kx epik qclid sccid',
  ].flatMap((names) => names.split(' ')),
)

/** What begins the names of the properties that keep an event's first value. */
export const INITIAL = '$initial_'

/** Values by name, parsed. */
export type PersonWriteValues = Readonly<Record<string, unknown>>

export interface PersonWrites {
  readonly set: PersonWriteValues
  readonly setOnce: PersonWriteValues
  readonly unset: readonly string[]
}

const NO_PERSON = '$groupidentify'

/** What the service makes of an event's properties on its person; undefined if the event has none. */
export function personWrites(event: string, properties: PersonWriteValues): PersonWrites | undefined {
  if (event === NO_PERSON || properties.$process_person_profile === false) return undefined
  const set: Record<string, unknown> = Object.create(null)
  const setOnce: Record<string, unknown> = Object.create(null)
  const isServer = properties.$is_server === true
  for (const [name, value] of Object.entries(properties)) {
    if (!COPIED_TO_PERSON.has(name) || (isServer && /^\$os(_name|_version)?$/.test(name))) continue
    // The service reads a missing $os from $os_name.
    const copied = name === '$os_name' ? '$os' : name
    if (copied !== name && properties.$os !== undefined) continue
    set[copied] = value
    setOnce[INITIAL + copied.replace('$', '')] = value
  }
  Object.assign(set, objectOrEmpty(properties.$set))
  Object.assign(setOnce, objectOrEmpty(properties.$set_once))
  const { $unset: unset } = properties
  return { set, setOnce, unset: Array.isArray(unset) ? unset.filter((name) => typeof name === 'string') : [] }
}
