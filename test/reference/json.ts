/**
 * JSON as text: values stay slices of the record, so digits and escapes survive. All but `whyNoRecord` and `opened` take
 * text that is valid.
 */
export type Json = string
export type Kind = 'string' | 'number' | 'object' | 'array' | 'boolean' | 'null'

const KINDS = new Map<string, Kind>([
  ...([
    ['"', 'string'],
    ['{', 'object'],
    ['[', 'array'],
  ] as const),
  ...([
    ['n', 'null'],
    ['t', 'boolean'],
    ['f', 'boolean'],
  ] as const),
])

export function kindOf(json: Json): Kind {
  return KINDS.get(json[0]!) ?? 'number'
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
interface Slice {
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

/** Why a line is no record: `bad_json`, `trailing_bytes`, `too_deep` or `not_an_object`; undefined for one. */
export function whyNoRecord(line: string): string | undefined {
  const isObject = /^[ \t\n\r]*\{/.test(line)
  try {
    JSON.parse(line)
  } catch (error) {
    if (!/after JSON/.test(String(error))) return 'bad_json'
    return isObject ? 'trailing_bytes' : 'not_an_object'
  }
  if (!isObject) return 'not_an_object'
  return depthOf(line) > MOST_DEEP ? 'too_deep' : undefined
}

function depthOf(json: Json): number {
  let [depth, most] = [0, 0]
  for (const c of json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[^[\]{}"]+/g, '')) {
    depth += c === '{' || c === '[' ? 1 : -1
    most = Math.max(most, depth)
  }
  return most
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
