import { hashBytes } from './bytes.ts'

/** Texts that are kept, and the most bytes of one: event names, platforms and the ids of those who are active now. */
const KEPT = 2048
const LONGEST = 48

const texts = new Array<string>(KEPT).fill('')
const hashes = new Int32Array(KEPT)
/** Of each kept text its length and its bytes; no text has the length it begins with. */
const lengths = new Uint8Array(KEPT).fill(LONGEST + 1)
const spelled = Buffer.alloc(KEPT * LONGEST)

/** The text between two quotes of a valid JSON string; `escaped` says whether it holds a backslash. */
export function decodeText(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? (JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string)
    : plainText(bytes, start, end)
}

/**
 * UTF-8 decoded; of the texts met lately the string made then. To compare the bytes takes a quarter of the time of
 * decoding them, and whoever looks the string up in a map finds its hash in it.
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
