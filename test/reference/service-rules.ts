/** What the service takes, and what it would bend: written from docs/identity.md, docs/storage.md and the service's own limits. */
import { Rejection } from '../../src/mapping/preset.ts'
import { elements, type Json, kindOf, members, rewritten } from './json.ts'

const BLANKS = '[\\s\\u0085]'
const OUTER_BLANKS = new RegExp(`^${BLANKS}+|${BLANKS}+$`, 'g')

function withoutBlanks(text: string): string {
  // Long runs of blanks inside a text would take the pattern the square of their length.
  return text.length > 100_000 ? text.trim() : text.replace(OUTER_BLANKS, '')
}

/** Words for "there is no value": docs/identity.md, the first nine of its list. */
const NONE = '\\n null nil none nan undefined (null) <null> <nil>'.split(' ')
/** The rest of that list. */
const NOBODY = [
  ...'anon anonymous anonymous-user guest user system backend distinctid distinct_id id not_authenticated email'.split(
    ' ',
  ),
  ...'n/a na unknown true false 0 -1 [] {} - -- (none) <none>'.split(' '),
  '(not set)',
  ...['[object object]', '00000000-0000-0000-0000-000000000000'],
]

/** A word in small letters, without the blanks and the quotes around it. */
function wordIn(text: string): string {
  const bare = withoutBlanks(text)
  return withoutBlanks(/^(["']).*\1$/s.test(bare) ? bare.slice(1, -1) : bare).toLowerCase()
}

/** True for a word that says that there is no value, in any case, quoted or not. */
export function isNone(text: string): boolean {
  return NONE.includes(wordIn(text))
}

/** True for a key that no group has: what programs and reports write for none. */
export function isNoGroup(key: string): boolean {
  return isNone(key) || /^(?:n\/a|\[\]|\{\}|--?|\(none\)|<none>|\(not set\))$/.test(wordIn(key))
}

/** True for an id that is blank, or that stands for nobody. */
export function isNobody(id: string): boolean {
  const word = wordIn(id)
  return word === '' || NONE.includes(word) || NOBODY.includes(word)
}

/** Ids that the service joins to nobody: these as they are, those in any case (facts of its pipeline). */
const NOT_JOINED_SO = ['NaN', 'None', 'none', 'null', '0', '[object Object]', '']
const NOT_JOINED =
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' ')

export function isNeverJoined(id: string): boolean {
  return NOT_JOINED_SO.includes(id.trim()) || NOT_JOINED.includes(id.toLowerCase())
}

/** NULs, each of which becomes U+FFFD. */
export function nulsIn(text: string): number {
  return text.split('\0').length - 1
}

const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd')

/** An id as the service stores it, or why it can't be sent. */
export function cleanId(text: string): { readonly id: string } | { readonly reason: string } {
  const id = withoutBlanks(withoutNul(text))
  if (id === '') return { reason: 'distinct_id_missing' }
  return [...id].length > 200 ? { reason: 'distinct_id_too_long' } : { id }
}

/** The same of an id that may be left out: undefined where it can't be sent. */
export function sayableId(text: string | undefined): string | undefined {
  const clean = text === undefined ? undefined : cleanId(text)
  return clean && 'id' in clean ? clean.id : undefined
}

/** An event's name: at most 200 bytes, in whole characters. */
export function cleanName(given: string): { readonly text: string; readonly cut: boolean } {
  const name = withoutNul(given)
  if (Buffer.byteLength(name) <= 200) return { text: name, cut: false }
  let [text, bytes] = ['', 0]
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > 200) break
    text += character
  }
  return { text, cut: true }
}

const DAY = 86_400_000_000
const HOUR = 3_600_000_000

/** Refuses times that the service would change. In microseconds. */
export function assertInstant(instant: number, now: number): void {
  if (!(instant >= DAY)) throw new Rejection('timestamp_too_old', 'before 2 January 1970')
  if (instant > now + 22 * HOUR) throw new Rejection('timestamp_in_future', 'more than 22 hours ahead')
}

export function assertSize(line: string): void {
  if (Buffer.byteLength(line) > 900_000)
    throw new Rejection('event_too_large', 'the service takes 900,000 bytes')
}

/** The service takes an object for a group's properties, or nothing. */
export function groupSet(json: Json): Json {
  if (/^[^{n]/.test(json)) throw new Rejection('group_properties_not_an_object', '')
  return json === 'null' ? '{}' : json
}

const MENDS = [
  'lone_surrogate',
  'huge_number',
  'big_integer',
  'event_name_cut',
  'id_trimmed',
  'deep_array',
] as const

/** How often a record was changed for the service. */
export type Mends = Record<(typeof MENDS)[number], number>

export function noMends(): Mends {
  return Object.fromEntries(MENDS.map((name) => [name, 0])) as Mends
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./g

/**
 * What the service would refuse together with a whole batch, mended: half a surrogate pair, a number beyond a double's range.
 * With `bigAsText` also numbers that it would round.
 */
export function mended(json: Json, bigAsText: boolean, mends: Mends): Json {
  if (!bigAsText && !/\\u[dD]|\d[eE][+-]?\d\d|\d{16}/.test(json)) return json
  return json.replace(STRING_OR_NUMBER, (token) => {
    if (token[0] === '"')
      return token.includes('\\u') ? token.replace(ESCAPE, (one) => mendedEscape(one, mends)) : token
    if (!Number.isFinite(Number(token))) mends.huge_number++
    else if (bigAsText && isRounded(token)) mends.big_integer++
    else return token
    return `"${token}"`
  })
}

function mendedEscape(one: string, mends: Mends): string {
  if (!/^\\u[dD][89a-fA-F]..$/.test(one)) return one
  mends.lone_surrogate++
  return '\\ufffd'
}

/** True for an integer over 2^53, and for a decimal that a double gives back in other digits. */
function isRounded(number: string): boolean {
  if (/^-?\d+$/.test(number))
    return number.replace('-', '').length > 15 && BigInt(number.replace('-', '')) > 2n ** 53n
  const value = Number(number)
  const given = digitsOf(number)
  return ![value.toPrecision(17), String(value)].some((text) => digitsOf(text) === given)
}

/** The digits without the zeros at both ends: two spellings of one number have the same. */
function digitsOf(number: string): string {
  return number
    .split(/e/i)[0]!
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')
}

/** Arrays that are nested more than eight deep as their own text; objects between them don't count. */
export function shallow(json: Json, mends: Mends): Json {
  const kind = kindOf(json)
  if (kind === 'object') return rewritten(json, (value) => shallow(value, mends))
  if (kind !== 'array' || arraysDeep(json) <= 8) return json
  mends.deep_array++
  return JSON.stringify(json)
}

function arraysDeep(json: Json): number {
  const kind = kindOf(json)
  const inside =
    kind === 'array' ? elements(json) : kind === 'object' ? members(json).map(([, value]) => value) : []
  return Math.max(0, ...inside.map(arraysDeep)) + (kind === 'array' ? 1 : 0)
}

/** The sender of a group's events: none that a person has. */
export function senderOfGroup(type: string, key: string): string {
  return [...`$${type}_${key}`].slice(0, 200).join('').trim()
}
