import { hashBytes } from './bytes.ts'

/** Of longer texts only the first, middle and last bytes are hashed: whole ones are compared anyway. */
const HASHED_WHOLE = 12

/**
 * Remembers what a pure function makes of bytes: the last result for each slot, which the bytes' hash chooses. Comparing
 * bytes takes a quarter of the time of decoding them to look a text up.
 */
export class ByteMemo<Result> {
  readonly #compute: (bytes: Buffer, start: number, end: number) => Result
  readonly #longest: number
  readonly #mask: number
  readonly #results: Array<Result | undefined>
  readonly #hashes: Int32Array
  /** The length and the bytes of what each slot holds. An empty slot has a length that nothing kept has. */
  readonly #lengths: Uint16Array
  readonly #spelled: Buffer

  /** `slots` is a power of two. Of more than `longest` bytes, below 65,535, nothing is remembered. */
  constructor(
    compute: (bytes: Buffer, start: number, end: number) => Result,
    { slots, longest }: { readonly slots: number; readonly longest: number },
  ) {
    this.#compute = compute
    this.#longest = longest
    this.#mask = slots - 1
    this.#results = new Array<Result | undefined>(slots).fill(undefined)
    this.#hashes = new Int32Array(slots)
    this.#lengths = new Uint16Array(slots).fill(longest + 1)
    this.#spelled = Buffer.alloc(slots * longest)
  }

  of(bytes: Buffer, start: number, end: number): Result {
    const length = end - start
    if (length > this.#longest) return this.#compute(bytes, start, end)
    const hash = hashOf(bytes, start, end)
    const slot = (hash ^ (hash >>> 16)) & this.#mask
    const spelled = this.#spelled
    const at = slot * this.#longest
    if (this.#hashes[slot] === hash && this.#lengths[slot] === length) {
      let i = 0
      while (i < length && spelled[at + i] === bytes[start + i]) i++
      if (i === length) return this.#results[slot] as Result
    }
    const result = this.#compute(bytes, start, end)
    this.#results[slot] = result
    this.#hashes[slot] = hash
    this.#lengths[slot] = length
    for (let i = 0; i < length; i++) spelled[at + i] = bytes[start + i]!
    return result
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  if (end - start <= HASHED_WHOLE) return hashBytes(bytes, start, end)
  let hash = wordAt(bytes, start)
  hash = Math.imul(hash ^ wordAt(bytes, (start + end) >> 1), 0x85ebca6b)
  hash ^= hash >>> 15
  hash = Math.imul(hash ^ wordAt(bytes, end - 4), 0xc2b2ae35)
  return hash ^ (end - start)
}

function wordAt(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

/** Texts met lately: event names, platforms, ids of users who are active now. */
const texts = new ByteMemo((bytes, start, end) => bytes.toString('utf8', start, end), {
  slots: 2048,
  longest: 48,
})

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
 * UTF-8 decoded; a text met lately gives the string made then. A string used before carries its hash, which a look-up in
 * a map then needs not compute.
 */
export function plainText(bytes: Buffer, start: number, end: number): string {
  return texts.of(bytes, start, end)
}

/** The text of what stands between the quotes of a valid JSON string, with escapes or without. */
export function spelledText(bytes: Buffer, start: number, end: number): string {
  const text = plainText(bytes, start, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

/** Results that are kept: the data mostly has few texts, but may have any number. */
const KEPT = 10_000
/** Longest text that is remembered by default, in characters: longer ones rarely come again. */
const LONGEST_TEXT = 200

/** Makes a pure function of a text remember its results; of texts longer than `longest` it does not. */
export function memoize<Result>(
  compute: (text: string) => Result,
  longest = LONGEST_TEXT,
): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    if (text.length > longest) return compute(text)
    let result = known.get(text)
    if (result === undefined) {
      result = compute(text)
      if (known.size >= KEPT) known.clear()
      known.set(text, result)
    }
    return result
  }
}
