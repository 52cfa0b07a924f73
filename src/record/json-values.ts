/** The pieces of containers in valid JSON text, as written: for the few places where a preset reads inside arrays. */

/** The elements of an array, each as written; none when the text is no array. */
export function elements(json: string): string[] {
  const found: string[] = []
  let at = blanks(json, 0)
  if (json[at] !== '[') return found
  at = blanks(json, at + 1)
  while (at < json.length && json[at] !== ']') {
    const end = valueEnd(json, at)
    found.push(json.slice(at, end))
    at = nextPiece(json, end)
  }
  return found
}

/** The members of an object as [decoded name, value as written]; none when the text is no object. */
export function members(json: string): Array<[string, string]> {
  const found: Array<[string, string]> = []
  let at = blanks(json, 0)
  if (json[at] !== '{') return found
  at = blanks(json, at + 1)
  while (at < json.length && json[at] !== '}') {
    const keyEnd = stringEnd(json, at)
    const start = blanks(json, json.indexOf(':', keyEnd) + 1)
    const end = valueEnd(json, start)
    found.push([JSON.parse(json.slice(at, keyEnd)) as string, json.slice(start, end)])
    at = nextPiece(json, end)
  }
  return found
}

function nextPiece(json: string, end: number): number {
  const at = blanks(json, end)
  return json[at] === ',' ? blanks(json, at + 1) : at
}

function blanks(json: string, from: number): number {
  let at = from
  while (isBlank(json[at])) at++
  return at
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r'
}

/** Index after the value that begins at `from`. */
function valueEnd(json: string, from: number): number {
  const first = json[from]
  if (first === '"') return stringEnd(json, from)
  if (first === '{' || first === '[') return containerEnd(json, from)
  let at = from
  while (at < json.length && !isBlank(json[at]) && json[at] !== ',' && json[at] !== '}' && json[at] !== ']')
    at++
  return at
}

function containerEnd(json: string, from: number): number {
  let depth = 0
  let at = from
  while (at < json.length) {
    const char = json[at]
    if (char === '"') {
      at = stringEnd(json, at)
      continue
    }
    at++
    if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at
  }
  return at
}

function stringEnd(json: string, quote: number): number {
  let at = quote + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

/**
 * Valid JSON in one spelling, to compare and to hash by: no blanks, an object's members ordered by name, the last of
 * two members with one name. Numbers and strings stay as they are written, so two texts with the same canonical form
 * differ only in order and blanks.
 */
export function canonicalJson(json: string): string {
  const text = json.trim()
  if (text.startsWith('[')) return `[${elements(text).map(canonicalJson).join(',')}]`
  if (!text.startsWith('{')) return text
  const byName = new Map(members(text))
  const names = [...byName.keys()].sort()
  return objectJson(names.map((name) => [name, canonicalJson(byName.get(name)!)]))
}

/** JSON of an object, from names and the JSON of their values. */
export function objectJson(members: ReadonlyArray<readonly [name: string, json: string]>): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

/** True for the text of a whole JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/*
 * JSON whose numbers keep their digits. A number that a double would change is held as a string that begins with half of
 * a surrogate pair, which no text from a file or from the service has; `exactJson` writes its digits again.
 */

const MARK = '\ud800#'
/** The mark as `JSON.stringify` writes it. */
const WRITTEN = '\\ud800#'
const MARKED = /"\\ud800#([^"]*)"/g
/** Where a number could be longer than a double holds. */
const SUSPECT = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+[eE])/
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Parses JSON. Throws a SyntaxError. */
export function parseExact(json: string): unknown {
  if (!SUSPECT.test(json)) return JSON.parse(json)
  return JSON.parse(json.replace(TOKEN, (token) => (isExact(token) ? token : JSON.stringify(MARK + token))))
}

/** A value of `parseExact` as JSON, with the digits that it came with. */
export function exactJson(value: unknown): string {
  return unmarked(value, (digits) => digits)
}

/** The same as a service holds it: numbers as doubles, and those beyond their range as strings of their digits. */
export function roundedJson(value: unknown): string {
  return unmarked(value, (digits) =>
    Number.isFinite(Number(digits)) ? String(Number(digits)) : `"${digits}"`,
  )
}

function unmarked(value: unknown, write: (digits: string) => string): string {
  const json = JSON.stringify(value)
  return json.includes(WRITTEN) ? json.replace(MARKED, (_, digits: string) => write(digits)) : json
}

function isExact(token: string): boolean {
  if (token.startsWith('"')) return true
  const number = Number(token)
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(token)
}

/** The digits of a number without zeros at their ends, and the power of ten of the last one. */
function digitsOf(token: string): string {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}
