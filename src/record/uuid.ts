import { hash } from 'node:crypto'

/**
 * A UUID as four words of 32 bits, the first one first. What a function here returns is the one of this thread, which the
 * next call fills anew.
 */
export type UuidWords = Int32Array

const LOOSE =
  /^(?:urn:uuid:|\{)?([0-9a-fA-F]{8})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{12})\}?$/

/** posthaul's own namespace: for records whose vendor has none, and for generated events. v5(DNS, 'posthaul'). */
export const POSTHAUL_NAMESPACE = '23d098be-ab8c-5a3e-b8a6-d4929c9e9483'

export const UUID_LENGTH = 36

const words: UuidWords = new Int32Array(4)
const namespaces = new Map<string, Int32Array>()
const text = Buffer.alloc(UUID_LENGTH)
const textView = new DataView(text.buffer, text.byteOffset, UUID_LENGTH)

/** The two digits of each byte, as the 16 bits that spell them, little endian. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16LE(),
)
/** The value of each character of a canonical UUID that is a digit; -1 for others. */
const VALUES = new Int8Array(256).fill(-1)
for (let value = 0; value < 16; value++) VALUES[value.toString(16).charCodeAt(0)] = value

const DASH = 0x2d
/** Views of messages up to this length are kept: to make one costs as much as to hash it. */
const VIEWED = 1024
let message = Buffer.allocUnsafe(2 * VIEWED)
let views: Uint8Array[] = []

/** UUID version 5 (RFC 9562) of `name` (as UTF-8) in the namespace given as canonical text; lower case. */
export function uuidV5(namespace: string, name: string): string {
  reserve(16 + name.length * 3)
  const size = message.write(name, 16, 'utf8')
  return textOf(uuidV5Words(namespace, message, 16, 16 + size))
}

/** The uuid of the nth twin of a record without an id whose first has `uuid`; n counts from 1. */
export function nthTwin(uuid: string, n: number): string {
  return uuidV5(POSTHAUL_NAMESPACE, `${uuid}:${n}`)
}

/** A version 5 uuid of raw bytes, as words. */
export function uuidV5Words(namespace: string, bytes: Buffer, start: number, end: number): UuidWords {
  const space = namespaceWords(namespace)
  const length = 16 + end - start
  if (bytes !== message) {
    reserve(length)
    bytes.copy(message, 16, start, end)
  }
  for (let i = 0; i < 4; i++) message.writeInt32BE(space[i]!, i * 4)
  const digest = hash('sha1', messageView(length), 'binary')
  for (let i = 0; i < 4; i++) words[i] = wordOf(digest, 4 * i)
  words[1] = (words[1]! & 0xffff0fff) | 0x5000
  words[2] = (words[2]! & 0x3fffffff) | 0x80000000
  return words
}

/** The words of a UUID's canonical text, which stands at [start, end); undefined for other bytes. */
export function readUuid(bytes: Buffer, start: number, end: number): UuidWords | undefined {
  if (end - start !== UUID_LENGTH) return undefined
  let digits = 0
  let wrong = 0
  let word = 0
  for (let i = 0; i < UUID_LENGTH; i++) {
    const byte = bytes[start + i]!
    if (i === 8 || i === 13 || i === 18 || i === 23) wrong |= byte === DASH ? 0 : -1
    else {
      const value = VALUES[byte]!
      wrong |= value
      word = (word << 4) | value
      if ((++digits & 7) === 0) words[(digits >> 3) - 1] = word
    }
  }
  // A value of -1 has bits that no digit has.
  return (wrong & ~15) === 0 ? words : undefined
}

export function uuidWords(canonical: string): UuidWords {
  text.write(canonical, 'latin1')
  const read = readUuid(text, 0, canonical.length)
  if (!read) throw new TypeError(`not a UUID: ${canonical}`)
  return read
}

export function writeUuid(into: DataView, at: number, uuid: UuidWords): void {
  for (let byte = 0, to = at; byte < 16; byte++, to += 2) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) into.setUint8(to++, DASH)
    into.setUint16(to, DIGITS[(uuid[byte >> 2]! >>> (24 - 8 * (byte & 3))) & 255]!, true)
  }
}

/** True for the text of a UUID of version 7, in any case. */
export function isUuidV7(text: string): boolean {
  return (
    text.length === UUID_LENGTH &&
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text)
  )
}

/** True for the canonical lower-case text of any UUID version. */
export function isUuid(text: string): boolean {
  if (text.length !== UUID_LENGTH) return false
  for (let i = 0; i < UUID_LENGTH; i++) {
    const unit = text.charCodeAt(i)
    const isDash = i === 8 || i === 13 || i === 18 || i === 23
    if (isDash ? unit !== DASH : !(unit >= 0x30 && unit <= 0x39) && !(unit >= 0x61 && unit <= 0x66))
      return false
  }
  return true
}

/** The canonical text of a UUID in any form the service reads (upper case, no dashes, braces, urn:), or undefined. */
export function canonicalUuid(text: string): string | undefined {
  if (isUuid(text)) return text
  const match = LOOSE.exec(text)
  if (!match || match[0].startsWith('{') !== match[0].endsWith('}')) return undefined
  return match.slice(1).join('-').toLowerCase()
}

/**
 * A UUID version 7 (RFC 9562) that is a function of its arguments: 48 bits of time, and the first bits of the SHA-256 of
 * the name at [start, end) where others have random ones. `millis` since the epoch.
 */
export function uuidV7(millis: number, name: Buffer, start: number, end: number): string {
  const length = end - start
  reserve(length)
  for (let i = 0; i < length; i++) message[i] = name[start + i]!
  const digest = hash('sha256', messageView(length), 'binary')
  words[0] = millis / 0x10000
  words[1] = ((millis % 0x10000) << 16) | ((wordOf(digest, 0) >>> 16) & 0x0fff) | 0x7000
  words[2] = (wordOf(digest, 2) & 0x3fffffff) | 0x80000000
  words[3] = wordOf(digest, 6)
  return textOf(words)
}

function textOf(uuid: UuidWords): string {
  writeUuid(textView, 0, uuid)
  return text.toString('latin1')
}

/** A word of a digest whose characters are bytes. */
function wordOf(digest: string, at: number): number {
  return (
    (digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)
  )
}

function reserve(length: number): void {
  if (message.length >= length) return
  message = Buffer.allocUnsafe(2 * length)
  views = []
}

/** The first `length` bytes of the message. */
function messageView(length: number): Uint8Array {
  if (length > VIEWED) return message.subarray(0, length)
  let view = views[length]
  if (!view) {
    view = message.subarray(0, length)
    views[length] = view
  }
  return view
}

function namespaceWords(namespace: string): Int32Array {
  let known = namespaces.get(namespace)
  if (!known) {
    const bytes = Buffer.from(namespace.replaceAll('-', ''), 'hex')
    if (bytes.length !== 16) throw new TypeError(`not a UUID: ${namespace}`)
    known = Int32Array.from({ length: 4 }, (_, word) => bytes.readInt32BE(word * 4))
    namespaces.set(namespace, known)
  }
  return known
}

/** The `$import_job_id` that `import --file` gives to events without one: v5(POSTHAUL_NAMESPACE, 'posthog'). */
export const FILE_IMPORT_ID = '91811d73-95c3-59a6-be3a-d1f081f2f6d7'

/**
 * Reads the 16 bytes of the uuid whose 36 characters begin at `at`, in lower case, into the first four of `words`: each has
 * four bytes, the first lowest. For lines that posthaul wrote: nothing is checked (`readUuid` of uuid.ts checks). Branches
 * on digits, which no processor can predict, would take four times as long.
 */
export function readUuidBytes(bytes: Uint8Array, at: number, words: Uint32Array): void {
  words[0] = pairOf(bytes, at) | (pairOf(bytes, at + 4) << 16)
  words[1] = pairOf(bytes, at + 9) | (pairOf(bytes, at + 14) << 16)
  words[2] = pairOf(bytes, at + 19) | (pairOf(bytes, at + 24) << 16)
  words[3] = pairOf(bytes, at + 28) | (pairOf(bytes, at + 32) << 16)
}

/** The same from a view, in half the time, into four of `words` from `to` on. */
export function readUuidView(view: DataView, at: number, words: Uint32Array, to: number): void {
  words[to] = pairIn(view.getInt32(at, true)) | (pairIn(view.getInt32(at + 4, true)) << 16)
  words[to + 1] = pairIn(view.getInt32(at + 9, true)) | (pairIn(view.getInt32(at + 14, true)) << 16)
  words[to + 2] = pairIn(view.getInt32(at + 19, true)) | (pairIn(view.getInt32(at + 24, true)) << 16)
  words[to + 3] = pairIn(view.getInt32(at + 28, true)) | (pairIn(view.getInt32(at + 32, true)) << 16)
}

/** Compares two uuids, each in four words as above, in the order of their texts: less than 0 if the first one is first. */
export function compareUuids(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  for (let i = 0; i < 4; i++) {
    if (a[aAt + i] !== b[bAt + i]) return swapped(a[aAt + i]!) - swapped(b[bAt + i]!)
  }
  return 0
}

export function uuidText(words: Uint32Array, at: number): string {
  const hex = [0, 1, 2, 3]
    .map((i) =>
      swapped(words[at + i]!)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The word with its bytes in the opposite order. */
function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
}

function pairOf(bytes: Uint8Array, at: number): number {
  return pairIn(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
}

/** The two bytes that the four hex digits in a word spell, the first lowest. */
function pairIn(text: number): number {
  // A letter has bit 6 set, and its low bits count from 1: `a` is 0x61.
  const digits = (text & 0x0f0f0f0f) + Math.imul((text >>> 6) & 0x01010101, 9)
  const pairs = ((digits & 0x000f000f) << 4) | ((digits >>> 8) & 0x000f000f)
  return (pairs & 0xff) | (pairs >>> 8)
}
