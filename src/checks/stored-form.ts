import { storedFate } from '../record/stored-properties.ts'
import { isJsonObject, ownOf, parsedOrNone } from '../text/json.ts'

/** True if two parsed JSON values say the same; the order of an object's members says nothing. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]))
  // The service stores no NUL.
  if (typeof a === 'string' && typeof b === 'string')
    return a.includes('\0') && a.replaceAll('\0', '\ufffd') === b
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEqual(a[name], b[name]))
  )
}

/** Doubles from here on are integers that 64 bits can't hold; which of the two limits counts depends on the sign. */
const LARGEST = 2 ** 64
const LEAST = -(2 ** 63)

/**
 * True if `there` is what the storage of 30 November 2026 keeps of `here`: nulls are taken out of objects, with the objects
 * that hold nothing else, integers beyond 64 bits are text, and the members of a list have one type where they can.
 */
export function storedEqual(here: unknown, there: unknown): boolean {
  if (jsonEqual(here, there)) return true
  if (isNothing(here)) return there === undefined || (isJsonObject(there) && isNothing(there))
  if (typeof here === 'number') return isLong(here) && isDigits(there) && Number(there) === here
  if (Array.isArray(here) && Array.isArray(there)) {
    const kinds = new Set(here.flat(Number.POSITIVE_INFINITY).map((item) => typeof item))
    return here.length === there.length && here.every((item, i) => memberEqual(item, there[i], kinds))
  }
  if (!isJsonObject(here) || !isJsonObject(there)) return false
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].every((name) =>
    storedEqual(ownOf(here, name), ownOf(there, name)),
  )
}

/** In lists with numbers, true and false become 1 and 0, in those with texts their words: a list has members of one type. */
function memberEqual(here: unknown, there: unknown, kinds: ReadonlySet<string>): boolean {
  if (Array.isArray(here) && Array.isArray(there))
    return here.length === there.length && here.every((item, i) => memberEqual(item, there[i], kinds))
  if (typeof here !== 'boolean' || typeof there === 'boolean') return storedEqual(here, there)
  return kinds.has(typeof there) && (there === Number(here) || there === String(here))
}

/** True if a value is null, or holds a null in an object. */
export function hasNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => one !== null && hasNull(one))
  return value === null || (isJsonObject(value) && Object.values(value).some(hasNull))
}

/** True if a list in the value mixes true or false with numbers or texts. */
export function hasMixedList(value: unknown): boolean {
  if (Array.isArray(value)) {
    const kinds = new Set(value.flat(Number.POSITIVE_INFINITY).map((item) => typeof item))
    if (kinds.has('boolean') && (kinds.has('number') || kinds.has('string'))) return true
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMixedList)
}

/** True if `there` is what a declared column of text, or of a list of texts, gives back of `here`. */
export function columnEqual(name: string, here: unknown, there: unknown): boolean {
  const fate = storedFate(name)
  if (fate === 'text') return there === undefined ? here === '' : isTextOf(here, there)
  if (fate === 'objects') {
    const list = objectsOf(here)
    return list === undefined || list.length === 0 ? there === undefined : storedEqual(list, there)
  }
  if (fate !== 'list') return false
  const list = textsOf(here)
  if (there === undefined) return list.length === 0
  return (
    Array.isArray(there) && list.length === there.length && list.every((item, i) => isTextOf(item, there[i]))
  )
}

/** What a list of texts is made of: a list, the list that a text is the JSON of, or the one value. No value: no list. */
function textsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.map((item) => item ?? '')
  if (isNothing(value) || isNullish(value)) return []
  const inside = inText(value)
  return Array.isArray(inside) ? textsOf(inside) : [value]
}

/** The list of objects that PostHog makes of a value of `$exception_list`; undefined for one that can be none. */
export function objectsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.every(isJsonObject) ? value : undefined
  if (isJsonObject(value)) return [value]
  if (value === null || value === undefined || isNullish(value)) return []
  const inside = inText(value)
  return typeof inside === 'object' && inside !== null ? objectsOf(inside) : undefined
}

/** True if a declared list has another form than its column, so that PostHog changes it. */
export function isOtherList(name: string, value: unknown): boolean {
  const wanted = storedFate(name) === 'list' ? 'string' : 'object'
  return (
    value !== null && !(Array.isArray(value) && value.every((one) => one !== null && typeof one === wanted))
  )
}

function isNullish(value: unknown): boolean {
  return typeof value === 'string' && ['', 'null', 'undefined'].includes(value.trim().toLowerCase())
}

function inText(value: unknown): unknown {
  return typeof value === 'string' ? parsedOrNone(value) : undefined
}

/** `there` with the numbers of `here` that it holds all but for their last digit: beside nulls, PostHog reads them so. */
export function withDigitsOf(here: unknown, there: unknown): unknown {
  if (typeof here === 'number' && typeof there === 'number')
    return Math.abs(here - there) <= Math.abs(here) * 2 ** -50 ? here : there
  if (Array.isArray(here) && Array.isArray(there)) return there.map((one, i) => withDigitsOf(here[i], one))
  if (!isJsonObject(here) || !isJsonObject(there)) return there
  const entries = Object.entries(there).map(([name, one]) => [name, withDigitsOf(ownOf(here, name), one)])
  return Object.fromEntries(entries)
}

/** True if `there` is the text form of a value that isn't text. Numbers are compared as numbers: 1.50 may come back as 1.5. */
export function isTextOf(here: unknown, there: unknown): boolean {
  if (typeof there !== 'string') return false
  if (typeof here === 'string') return here === there
  const value = inText(there)
  return value !== undefined && storedEqual(here, value)
}

/** Null, and an object that has nothing but nulls. */
export function isNothing(value: unknown): boolean {
  return (
    value === null || value === undefined || (isJsonObject(value) && Object.values(value).every(isNothing))
  )
}

function isLong(value: number): boolean {
  return Number.isInteger(value) && (value >= LARGEST || value < LEAST)
}

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value)
}
