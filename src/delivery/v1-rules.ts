import { ByteWriter } from '../record/byte-writer.ts'
import { beginsWith } from '../record/bytes.ts'
import type { IdentitySpan } from '../record/head.ts'
import { type Key, keyOf } from '../record/keys.ts'
import type { Refusal } from '../record/rules.ts'
import { KIND } from '../record/tape.ts'
import { decodeText } from '../record/text.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')

/** The properties that have a place of their own in the V1 form. `option`: among the options. */
export const PLACES = [
  place('session_id', KIND.string),
  place('window_id', KIND.string),
  place('process_person_profile', KIND.true, true),
  place('cookieless_mode', KIND.true, true),
  place('product_tour_id', KIND.string, true),
  // What it says is overruled: every form has the option `disable_skew_correction`.
  { ...place('ignore_sent_at', KIND.true, true), isOverruled: true },
]

function place(name: string, kind: typeof KIND.string | typeof KIND.true, option = false) {
  const spelled = Buffer.from(`"$${name}"`)
  const member = ByteWriter.of(`,"${name}":`)
  return { property: `$${name}`, key: keyOf(`$${name}`), spelled, kind, option, member, isOverruled: false }
}

/*
 * The search for all the names at once (Wu and Manber): it looks at the last four bytes of a window as wide as the shortest
 * name. Mostly no name has these four near its beginning, so the window moves on by nine bytes.
 */
export const SEARCH_WINDOW = Math.min(...PLACES.map(({ spelled }) => spelled.length))
/** By the hash of four bytes: how far the window may move so that no name is passed. 0: a name may be in it. */
const STEPS = new Uint8Array(1024).fill(SEARCH_WINDOW - 3)
for (const { spelled } of PLACES) {
  for (let at = 0; at + 4 <= SEARCH_WINDOW; at++) {
    const hash = hashWord(spelled.readInt32LE(at))
    STEPS[hash] = Math.min(STEPS[hash]!, SEARCH_WINDOW - 4 - at)
  }
}

/** How far the window may move if its last four bytes are `word`; 0 if a name may be in it. */
export function stepAfter(word: number): number {
  return STEPS[hashWord(word)]!
}

function hashWord(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> 22
}

const FIRST_KEY = Math.min(...PLACES.map(({ key }) => key))
const LAST_KEY = Math.max(...PLACES.map(({ key }) => key))

/** The place of a property; -1 if it has none. */
export function placeOfKey(key: Key): number {
  if (key < FIRST_KEY || key > LAST_KEY) return -1
  for (let at = 0; at < PLACES.length; at++) if (PLACES[at]!.key === key) return at
  return -1
}

/** The place whose name, with its quotes, is at `quote`; -1 if none is. */
export function placeAt(bytes: Buffer, quote: number, end: number): number {
  for (let at = 0; at < PLACES.length; at++) if (beginsWith(bytes, quote, end, PLACES[at]!.spelled)) return at
  return -1
}

/** Index after a value that its place takes as it is: text that isn't empty, or a boolean. -1 for any other; see `fitted`. */
export function valueEnd(
  bytes: Buffer,
  start: number,
  end: number,
  kind: typeof KIND.string | typeof KIND.true,
): number {
  if (kind === KIND.true) {
    const word = bytes[start] === TRUE[0] ? TRUE : FALSE
    return beginsWith(bytes, start, end, word) ? start + word.length : -1
  }
  if (bytes[start] !== QUOTE || bytes[start + 1] === QUOTE) return -1
  for (let i = start + 1; i < end; i++) {
    if (bytes[i] === QUOTE) return i + 1
    if (bytes[i] === BACKSLASH) i++
  }
  return -1
}

const [YES, NO] = [ByteWriter.of('true'), ByteWriter.of('false')]

/**
 * A value of any kind as the official clients send it: a flag may be a number, or text such as "0" or "True". Undefined for a
 * value that they leave out: an older service refuses the whole request over an option of the wrong kind.
 */
export function fitted(json: string, kind: typeof KIND.string | typeof KIND.true): ByteWriter | undefined {
  const value: unknown = JSON.parse(json)
  if (kind === KIND.string) {
    if (typeof value !== 'string') return undefined
    const text = new ByteWriter(json.length)
    text.utf8(json)
    return text
  }
  if (typeof value === 'boolean') return value ? YES : NO
  if (typeof value === 'number') return value === 0 ? NO : YES
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (word === 'true' || word === '1') return YES
  return word === 'false' || word === '0' ? NO : undefined
}

/** Capture V1 drops an event whose name or distinct_id has more bytes. */
const MOST_BYTES = 200

/** Why Capture V1 would drop an event line of this identity; undefined if it would not. */
export function refusalOfV1(
  bytes: Buffer,
  { eventStart, eventEnd, distinctIdEnd }: IdentitySpan,
): Refusal | undefined {
  const idStart = eventEnd + ',"distinct_id":'.length
  if (eventEnd - eventStart === 2) return { reason: 'event_missing', message: 'the event has no name' }
  // An escape is longer than what it is for, so a short spelling is a short text.
  if (eventEnd - eventStart - 2 > MOST_BYTES) {
    const length = Buffer.byteLength(decodeText(bytes, eventStart + 1, eventEnd - 1, true))
    if (length > MOST_BYTES) return tooLong('event_name_too_long', 'the name', length)
  }
  if (distinctIdEnd - idStart - 2 > MOST_BYTES) {
    const length = Buffer.byteLength(decodeText(bytes, idStart + 1, distinctIdEnd - 1, true))
    if (length > MOST_BYTES) return tooLong('distinct_id_too_long', 'distinct_id', length)
  }
  const first = bytes[idStart + 1]!
  if (first > 0x20 && first < 0x7f && first !== QUOTE && first !== BACKSLASH) return undefined
  if (decodeText(bytes, idStart + 1, distinctIdEnd - 1, true).trim() !== '') return undefined
  return { reason: 'distinct_id_missing', message: 'distinct_id is missing or blank' }
}

function tooLong(reason: string, what: string, length: number): Refusal {
  const message = `${what} has ${length} bytes, and Capture V1 drops what has over ${MOST_BYTES}; --via batch takes it`
  return { reason, message }
}
