import { hashNumber, hashText } from '../text/city-hash.ts'
import { type Head, headName, uuidOffset } from './head.ts'
import { GROUP_EVENT, GROUP_EVENT_NAMES } from './rules.ts'
import { readUuidBytes } from './uuid.ts'

const TWO_TO_32 = 2 ** 32
const BACKSLASH = 0x5c

/** The prints of a fingerprint, in the order of its texts. */
const PRINTS = 3
/** Words of a print: XOR and sum, each low word first. */
const PRINT_WORDS = 4

type Three<T> = [exact: T, timeless: T, millis: T]

/** A fingerprint as files and the service write it: unsigned decimal numbers. */
export interface FingerprintText {
  readonly xor: Three<string>
  readonly sum: Three<string>
}

/**
 * What two fingerprints have in common: all four values of every event; all but what is below a millisecond of their times; all
 * but their times; or less.
 */
export type Likeness = 'same' | 'to_the_millisecond' | 'but_for_times' | 'different'

const NUMBER = new Int32Array(2)
const uuid = new Uint32Array(4)
const [person, name] = [new Int32Array(2), new Int32Array(2)]

/**
 * A fingerprint of a set of events, whatever their order: XOR and sum, which wrap at 2^64, of a hash of each event's uuid,
 * distinct_id, name and time. There are three: `exact` has the time in microseconds, `millis` in milliseconds, `timeless`
 * leaves it out. They are made of what PostHog's query language has, too (service/arrived.ts):
 *
 *     timeless = cityHash64(cityHash64(U1 + cityHash64(distinct_id)) + U2 + cityHash64(event))
 *     exact    = cityHash64(timeless + microseconds since 1970)
 *     millis   = cityHash64(timeless + milliseconds since 1970)
 *
 * where U1 and U2 are the halves of the uuid, 8 bytes each, as little-endian numbers. It says that two sets are the same, not
 * how they differ. An even number of copies cancels out in the XOR: add each member once.
 */
export class Fingerprint {
  count = 0
  /** One array, as there are many of these. */
  readonly #words = new Int32Array(PRINTS * PRINT_WORDS)

  addLine(line: Buffer, head: Head): void {
    readUuidBytes(line, uuidOffset(0), uuid)
    readPerson(line, viewOf(line), { start: head.distinctIdStart, end: head.distinctIdEnd }, person, 0)
    readName(headName(line, head), name)
    this.addEvent({ uuid, at: 0 }, { words: person, at: 0 }, name, head.instant)
  }

  /** Adds an event by its four values; `instant` in microseconds. */
  addTexts(id: string, distinctId: string, event: string, instant: number): void {
    readUuidBytes(Buffer.from(id, 'latin1'), 0, uuid)
    readText(distinctId, person, 0)
    readName(event, name)
    this.addEvent({ uuid, at: 0 }, { words: person, at: 0 }, name, instant)
  }

  /**
   * Adds an event by the four words of its uuid, as `readUuidBytes` reads them, the hashes of `readPerson` and `readName`, and
   * its time in microseconds.
   */
  addEvent(
    { uuid, at }: { readonly uuid: Uint32Array; readonly at: number },
    person: { readonly words: Int32Array | Uint32Array; readonly at: number },
    name: Int32Array,
    instant: number,
  ): void {
    this.count++
    setNumber(uuid[at]!, uuid[at + 1]!)
    addNumber(person.words[person.at]!, person.words[person.at + 1]!)
    hashNumber(NUMBER, 0)
    addNumber(uuid[at + 2]!, uuid[at + 3]!)
    addNumber(name[0]!, name[1]!)
    hashNumber(NUMBER, 0)
    const [low, high] = [NUMBER[0]!, NUMBER[1]!]
    this.#put(1)
    this.#putTime(0, low, high, instant)
    this.#putTime(2, low, high, Math.trunc(instant / 1000))
  }

  /** Adds all members of another set, which shares none with this one. */
  merge(other: Fingerprint): void {
    this.count += other.count
    for (let at = 0; at < this.#words.length; at += PRINT_WORDS) {
      this.#words[at]! ^= other.#words[at]!
      this.#words[at + 1]! ^= other.#words[at + 1]!
      this.#addAt(at + 2, other.#words[at + 2]!, other.#words[at + 3]!)
    }
  }

  /** How much of the events of both sets is the same. */
  likeness(other: Fingerprint): Likeness {
    const isSame = (print: number) =>
      this.#words.subarray(print * PRINT_WORDS, (print + 1) * PRINT_WORDS).join() ===
      other.#words.subarray(print * PRINT_WORDS, (print + 1) * PRINT_WORDS).join()
    if (this.count !== other.count || !isSame(1)) return 'different'
    return isSame(0) ? 'same' : isSame(2) ? 'to_the_millisecond' : 'but_for_times'
  }

  get text(): FingerprintText {
    const three = (word: number): Three<string> => [
      decimal(this.#words, word),
      decimal(this.#words, PRINT_WORDS + word),
      decimal(this.#words, 2 * PRINT_WORDS + word),
    ]
    return { xor: three(0), sum: three(2) }
  }

  /** The fingerprint that was written as text. Throws a SyntaxError or RangeError for other text. */
  static of(count: number, { xor, sum }: FingerprintText): Fingerprint {
    const fingerprint = new Fingerprint()
    fingerprint.count = count
    for (let print = 0; print < PRINTS; print++) {
      setDecimal(fingerprint.#words, print * PRINT_WORDS, xor[print]!)
      setDecimal(fingerprint.#words, print * PRINT_WORDS + 2, sum[print]!)
    }
    return fingerprint
  }

  #putTime(print: number, low: number, high: number, time: number): void {
    setNumber(low, high)
    const above = Math.floor(time / TWO_TO_32)
    addNumber(time - above * TWO_TO_32, above)
    hashNumber(NUMBER, 0)
    this.#put(print)
  }

  #put(print: number): void {
    const at = print * PRINT_WORDS
    const [low, high] = [NUMBER[0]!, NUMBER[1]!]
    this.#words[at]! ^= low
    this.#words[at + 1]! ^= high
    this.#addAt(at + 2, low, high)
  }

  #addAt(word: number, low: number, high: number): void {
    const total = (this.#words[word]! >>> 0) + (low >>> 0)
    this.#words[word] = total
    this.#words[word + 1]! += high + (total >= TWO_TO_32 ? 1 : 0)
  }
}

/** The name under which the service's events are compared: group events have either of two names. */
export function nameInService(name: string): string {
  return GROUP_EVENT_NAMES.includes(name) ? GROUP_EVENT : name.replaceAll('\0', '\ufffd')
}

/** Writes the hash of an event's name, as it is compared, into two words. */
export function readName(event: string, into: Int32Array): void {
  readText(nameInService(event), into, 0)
}

/**
 * Writes the hash of the distinct_id whose JSON is bytes `start` to `end`, quotes included, into two words of `into`. `view` is of
 * the same bytes.
 */
export function readPerson(
  bytes: Buffer,
  view: DataView,
  { start, end }: { readonly start: number; readonly end: number },
  into: Int32Array | Uint32Array,
  at: number,
): void {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== BACKSLASH) continue
    readText(String(JSON.parse(bytes.toString('utf8', start, end))), into, at)
    return
  }
  hashText(view, start + 1, end - 1, into, at)
}

/** The service stores no NUL. */
function readText(text: string, into: Int32Array | Uint32Array, at: number): void {
  const bytes = Buffer.from(text.replaceAll('\0', '\ufffd'))
  hashText(viewOf(bytes), 0, bytes.length, into, at)
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function setNumber(low: number, high: number): void {
  NUMBER[0] = low
  NUMBER[1] = high
}

function addNumber(low: number, high: number): void {
  const total = (NUMBER[0]! >>> 0) + (low >>> 0)
  NUMBER[0] = total
  NUMBER[1] = NUMBER[1]! + high + (total >= TWO_TO_32 ? 1 : 0)
}

function decimal(words: Int32Array, at: number): string {
  return ((BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0)).toString()
}

function setDecimal(words: Int32Array, at: number, text: string): void {
  const value = BigInt(text)
  if (value < 0n || value >> 64n !== 0n) throw new RangeError(`${text} does not fit into 64 bits`)
  words[at] = Number(value & 0xffffffffn)
  words[at + 1] = Number(value >> 32n)
}
