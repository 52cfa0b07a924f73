import { hashBytes } from './bytes.ts'

/** How many texts are kept, and the most bytes of one: event names, platforms, ids of users who are active now. */
const KEPT = 2048
const LONGEST = 48

const texts = new Array<string>(KEPT).fill('')
const hashes = new Int32Array(KEPT)
/** The length and the bytes of each kept text. An empty slot has a length that no kept text has. */
const lengths = new Uint8Array(KEPT).fill(LONGEST + 1)
const spelled = Buffer.alloc(KEPT * LONGEST)

/** The text between two quotes of a valid JSON string; `escaped` says whether it holds a backslash. */
export function decodeText(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? (JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string)
    : plainText(bytes, start, end)
}

/** The text of a JSON value: a string decoded, all else as it is written. */
export function textIn(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}

/** The same of a string, a number or a boolean; undefined for null, an object or an array. */
export function scalarText(json: string | undefined): string | undefined {
  return json === undefined || json === 'null' || /^[[{]/.test(json) ? undefined : textIn(json)
}

/**
 * UTF-8 decoded; a text met lately gives the string made then. Comparing the bytes takes a quarter of the time of
 * decoding them, and a string used before carries its hash, which a look-up in a map then needs not compute.
 */
export function plainText(bytes: Buffer, start: number, end: number): string {
  const length = end - start
  if (length > LONGEST) return bytes.toString('utf8', start, end)
  const hash = hashBytes(bytes, start, end)
  const slot = (hash ^ (hash >>> 16)) & (KEPT - 1)
  const at = slot * LONGEST
  if (hashes[slot] === hash && lengths[slot] === length) {
    let i = 0
    while (i < length && spelled[at + i] === bytes[start + i]) i++
    if (i === length) return texts[slot]!
  }
  const text = bytes.toString('utf8', start, end)
  texts[slot] = text
  hashes[slot] = hash
  lengths[slot] = length
  for (let i = 0; i < length; i++) spelled[at + i] = bytes[start + i]!
  return text
}
