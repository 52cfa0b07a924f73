import { isJson, members } from '../../record/json-values.ts'

/** A parameter of an event or a property of a user. */
export interface ParameterEntry {
  readonly key: string
  /** Its value as JSON text: a string, or a number with the digits it had. */
  readonly json: string
  /** Where its value is in the list: `plan.string_value`. */
  readonly path: string
  /** What its element holds besides: a path as above, and JSON text. */
  readonly others: ReadonlyArray<readonly [path: string, json: string]>
}

/** The member of a user property's value that says when it was set, in microseconds. */
export const SET_AT = 'set_timestamp_micros'

/** The members of a value. One of them is filled; where an extract fills several, the first in this order counts. */
const KINDS = ['string_value', 'int_value', 'float_value', 'double_value']

/** BigQuery's JSON has 64-bit integers (and NaN) as strings, Parquet has numbers: both become numbers here. */
const QUOTED_NUMBER = /^"(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)"$/

/**
 * The filled entries among elements {key, value: {string_value, int_value, float_value, double_value}}, in order. `odd`
 * is called for each element of another form; one whose values are all null is empty, not odd: `blank` is told its key.
 */
export function entriesOf(
  elements: readonly string[],
  odd?: () => void,
  blank?: (key: string) => void,
): ParameterEntry[] {
  const entries: ParameterEntry[] = []
  for (const element of elements) {
    const parts = new Map(members(opened(element)))
    const key = textOf(parts.get('key'))
    const given = parts.get('value') ?? 'null'
    const kind = kindOf(given)
    if (key !== '' && kind !== undefined) entries.push(entryOf(key, kind, parts))
    else if (key === '' || !isEmptyValue(given)) odd?.()
    else blank?.(key)
  }
  return entries
}

function isEmptyValue(json: string): boolean {
  const value = opened(json)
  return value === 'null' || (value.startsWith('{') && members(value).every(([, one]) => one === 'null'))
}

/** The object that a text holds: some extracts write each element, or each value, as JSON text of its own. */
function opened(json: string): string {
  if (!/^"\s*\{/.test(json)) return json
  const text = (JSON.parse(json) as string).trim()
  return isJson(text) ? text : json
}

/** The entries as one text that is the same for every form of extract: sorted by key, numbers in one spelling. */
export function fingerprint(entries: readonly ParameterEntry[]): string {
  const rows = entries.map(({ key, json }) => JSON.stringify([key, canonical(json)]))
  return `[${rows.sort().join(',')}]`
}

/** The member of a value that is filled. */
function kindOf(json: string): string | undefined {
  const parts = new Map(members(opened(json)))
  return KINDS.find((kind) => (parts.get(kind) ?? 'null') !== 'null')
}

function entryOf(key: string, kind: string, element: ReadonlyMap<string, string>): ParameterEntry {
  const value = new Map(members(opened(element.get('value')!)))
  const json = value.get(kind)!
  const besides = (parts: ReadonlyMap<string, string>, known: readonly string[]) =>
    [...parts].filter(([name, one]) => !known.includes(name) && one !== 'null')
  return {
    key,
    json: kind === 'string_value' ? json : json.replace(QUOTED_NUMBER, unquoted),
    path: `${key}.${kind}`,
    others: [...besides(value, [kind]), ...besides(element, ['key', 'value'])].map(([name, one]) => [
      `${key}.${name}`,
      one,
    ]),
  }
}

/** The number without its quotes; with them where the service would refuse (1e400) or round it (over 2^53). */
function unquoted(quoted: string, number: string): string {
  const value = Number(number)
  const survives = /^-?\d+$/.test(number) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return survives ? number : quoted
}

function textOf(json: string | undefined): string {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : ''
}

function canonical(json: string): string {
  if (json.startsWith('"')) return JSON.parse(json) as string
  return /^-?\d+$/.test(json) ? json : String(Number(json))
}
