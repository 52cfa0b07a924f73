import type { Id } from './id.ts'
import { withoutBlanks } from './rules.ts'

/**
 * The service's own list: distinct ids, in small letters, of which it makes no person. Capture V1 stores their events
 * without one. All of them stand for nobody here too, and so do words below that the service takes.
 */
const ILLEGAL_IDS: ReadonlySet<string> = new Set([
  ...'0 00000000-0000-0000-0000-000000000000 anonymous anonymous-user backend distinct_id'.split(' '),
  ...'distinctid email false guest id nan none not_authenticated null system true undefined user'.split(' '),
  '[object object]',
  '',
])

/**
 * What programs write where there is no value. `\N` is the null of Postgres' COPY, MySQL's OUTFILE, Hive, ClickHouse and
 * Snowflake's unload, `(null)` of C and iOS, `<nil>` of Go. In an id, a time or a group's key these are as good as empty.
 */
const NULL_WORDS: ReadonlySet<string> = new Set(
  String.raw`\n null nil none nan undefined (null) <null> <nil>`.split(' '),
)

/** What reports and logs write where there is no value. */
const EMPTY_WORDS: ReadonlySet<string> = new Set([...'n/a [] {} - -- (none) <none>'.split(' '), '(not set)'])

/**
 * Ids in small letters that stand for nobody: linking them would make one person of thousands. Those that Amplitude
 * calls invalid, those that libraries send when they know no user, those of logs and reports without a value, and all of which the service makes no person.
 */
const NOBODY: ReadonlySet<string> = new Set([
  ...NULL_WORDS,
  ...ILLEGAL_IDS,
  ...EMPTY_WORDS,
  ...'anon na unknown -1'.split(' '),
])

/** A UUID in quotes. */
const LONGEST = 38

/** First letter and length of every word: for most ids these two already tell that they are none of the words. */
const SHAPES = new Set([...NOBODY].map((word) => shape(word.charCodeAt(0), word.length)))

function shape(first: number, length: number): number {
  return first * 64 + length
}

/** False when an id of this shape can't be one of the words: a plain letter or digit at both ends, and a shape that no word has. */
function isSuspect(firstUnit: number, lastUnit: number, length: number): boolean {
  const first = firstUnit | 0x20
  return !isWordly(first) || !isWordly(lastUnit | 0x20) || SHAPES.has(shape(first, length))
}

function isWordly(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a)
}

/** True for an id that stands for nobody, quoted or not: it must never link two persons. */
export function isNobody(id: string): boolean {
  return isAmong(id, NOBODY)
}

/** The same of an id whose text few ask for. */
export function isNobodyId(id: Id): boolean {
  const { bytes, start, end } = id
  return (bytes === undefined || mayBeNobody(bytes, start, end)) && isNobody(id.text)
}

/** False for nearly all ids that people have: told by the ends and the length of the bytes in [start, end). */
export function mayBeNobody(bytes: Buffer, start: number, end: number): boolean {
  return end === start || isSuspect(bytes[start]!, bytes[end - 1]!, end - start)
}

/** True for text that stands for no value at all, in any case, quoted or not: `\N`, NULL, None, NaN, undefined. */
export function isNullWord(text: string): boolean {
  return isAmong(text, NULL_WORDS)
}

/** True for a group's key that stands for no group: a null word, or one of reports, such as `-` or `(not set)`. A `0` may be a key. */
export function isNoGroup(key: string): boolean {
  return isNullWord(key) || isAmong(key, EMPTY_WORDS)
}

function isAmong(text: string, words: ReadonlySet<string>): boolean {
  if (!isSuspect(text.charCodeAt(0), text.charCodeAt(text.length - 1), text.length)) return false
  const word = wordIn(text)
  return word !== undefined && words.has(word)
}

/** Text in small letters without blanks around it and quotes; undefined where it is longer than any word. */
function wordIn(text: string): string | undefined {
  const bare = withoutBlanks(text)
  // This settles most real ids that look like a word.
  if (bare.length > LONGEST) return undefined
  const isQuoted = /^(["']).*\1$/s.test(bare)
  return (isQuoted ? withoutBlanks(bare.slice(1, -1)) : bare).toLowerCase()
}

/** Ids that the service joins to nobody, as its pipeline lists them: these in any case, those below as they are. */
const NEVER_JOINED: ReadonlySet<string> = new Set(
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' '),
)
const NEVER_JOINED_SO: ReadonlySet<string> = new Set([
  ...'NaN None none null 0'.split(' '),
  '[object Object]',
  '',
])

/** True for a distinct id of which the service makes no person. */
export function isIllegalId(distinctId: string): boolean {
  return ILLEGAL_IDS.has(distinctId.trim().toLowerCase())
}

/** True for an id that an identity event may name without joining anybody: the service refuses the merge, and no more. */
export function isNeverJoined(id: string): boolean {
  return NEVER_JOINED_SO.has(id.trim()) || NEVER_JOINED.has(id.toLowerCase())
}
