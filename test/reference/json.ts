/**
 * JSON as text: values stay slices of the record, so digits and escapes survive. All but `whyNoRecord` and `opened` take
 * text that is valid.
 */
export type Json = string
export type Kind = 'string' | 'number' | 'object' | 'array' | 'boolean' | 'null'

const KINDS: Readonly<Record<string, Kind>> = {
  '"': 'string',
  '{': 'object',
  '[': 'array',
  n: 'null',
  t: 'boolean',
  f: 'boolean',
}

export function kindOf(json: Json): Kind {
  return KINDS[json[0]!] ?? 'number'
}

/** A string decoded, a number or boolean as it is written; undefined for null, an object or an array. */
export function scalar(json: Json | undefined): string | undefined {
  if (json === undefined || json === 'null' || json[0] === '{' || json[0] === '[') return undefined
  return asText(json)
}

/** A string decoded, all else as it is written. */
export function asText(json: Json): string {
  return json[0] === '"' ? (JSON.parse(json) as string) : json
}

export function objectOf(members: Iterable<readonly [name: string, json: Json]>): Json {
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

/** A member or an element, by its place in the text. An element has no name. */
export interface Slice {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The members of an object, or the elements of an array, in order; none of another value. */
export function slices(text: string): Slice[] {
  const found: Slice[] = []
  let at = blanksEnd(text, 0)
  const isObject = text[at] === '{'
  if (!isObject && text[at] !== '[') return found
  at = blanksEnd(text, at + 1)
  while (text[at] !== '}' && text[at] !== ']') {
    let name = ''
    if (isObject) {
      const end = stringEnd(text, at)
      name = JSON.parse(text.slice(at, end)) as string
      at = blanksEnd(text, blanksEnd(text, end) + 1)
    }
    const end = valueEnd(text, at)
    found.push({ name, start: at, end })
    at = blanksEnd(text, end)
    if (text[at] === ',') at = blanksEnd(text, at + 1)
  }
  return found
}

export function members(json: Json): [name: string, json: Json][] {
  return json[0] !== '{' ? [] : slices(json).map(({ name, start, end }) => [name, json.slice(start, end)])
}

export function elements(json: Json): Json[] {
  return json[0] !== '[' ? [] : slices(json).map(({ start, end }) => json.slice(start, end))
}

/** The text with other values for some of its members or elements; all around them stays as it is written. */
export function rewritten(text: string, change: (json: Json, name: string) => Json): string {
  let [made, copied] = ['', 0]
  for (const { name, start, end } of slices(text)) {
    made += text.slice(copied, start) + change(text.slice(start, end), name)
    copied = end
  }
  return made + text.slice(copied)
}

/** Index of the first character from `from` on that a pattern fits; the text's length if none does. */
function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

const NO_BLANK = /[^ \t\n\r]/g
const AFTER_SCALAR = /[,}\] \t\n\r]/g
const STRING_OR_BRACKET = /["{}[\]]/g

function blanksEnd(text: string, from: number): number {
  return text[from]! > ' ' ? from : find(NO_BLANK, text, from)
}

function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

function valueEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from)
  if (text[from] !== '{' && text[from] !== '[') return find(AFTER_SCALAR, text, from)
  let [at, depth] = [from, 0]
  do {
    const c = text[at]
    if (c !== '"') depth += c === '{' || c === '[' ? 1 : -1
    at = find(STRING_OR_BRACKET, text, c === '"' ? stringEnd(text, at) : at + 1)
  } while (depth > 1 || (depth === 1 && text[at] !== '}' && text[at] !== ']'))
  return at + 1
}

/** Objects and arrays inside one another, so many at most. */
const MOST_DEEP = 100
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

// biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON may not hold them
const SPECIAL = /["\\\u0000-\u001f]/g

class Unreadable extends Error {}

/** Why a line is no record: `bad_json`, `trailing_bytes`, `too_deep` or `not_an_object`; undefined for one. */
export function whyNoRecord(line: string): string | undefined {
  try {
    const from = blanksEnd(line, 0)
    const end = checkedEnd(line, from, 1)
    if (line[from] !== '{') return 'not_an_object'
    return blanksEnd(line, end) < line.length ? 'trailing_bytes' : undefined
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

/** Index after the value at `from`, which is checked. `depth` is its own if it is an object or an array. */
function checkedEnd(text: string, from: number, depth: number): number {
  const c = text[from]
  if (c === '"') return checkedString(text, from)
  if (c === '{' || c === '[') return checkedContainer(text, from, depth)
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, from)) return from + word.length
  return matchEnd(NUMBER, text, from)
}

function checkedContainer(text: string, from: number, depth: number): number {
  if (depth > MOST_DEEP) throw new Unreadable('too_deep')
  const isObject = text[from] === '{'
  const close = isObject ? '}' : ']'
  let at = blanksEnd(text, from + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    if (isObject) {
      if (text[at] !== '"') throw new Unreadable('bad_json')
      at = blanksEnd(text, checkedString(text, at))
      if (text[at] !== ':') throw new Unreadable('bad_json')
      at = blanksEnd(text, at + 1)
    }
    at = blanksEnd(text, checkedEnd(text, at, depth + 1))
    if (text[at] === close) return at + 1
    if (text[at] !== ',') throw new Unreadable('bad_json')
    at = blanksEnd(text, at + 1)
  }
}

function checkedString(text: string, from: number): number {
  let at = find(SPECIAL, text, from + 1)
  while (text[at] === '\\') at = find(SPECIAL, text, matchEnd(ESCAPE, text, at))
  if (text[at] !== '"') throw new Unreadable('bad_json')
  return at + 1
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  const found = pattern.exec(text)
  if (!found) throw new Unreadable('bad_json')
  return from + found[0].length
}

/** The object or array that a text holds, on one line; undefined for other text. */
export function opened(text: string): Json | undefined {
  const json = text.trim()
  if (json[0] !== '{' && json[0] !== '[') return undefined
  // An array is judged as a record's member.
  const record = json[0] === '[' ? `{"":${json}}` : json
  if (
    whyNoRecord(record) !== undefined ||
    slices(record).length !== (json[0] === '[' ? 1 : slices(json).length)
  )
    return undefined
  return json.replace(/[\r\n]/g, ' ')
}
