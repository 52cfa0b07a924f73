import { mixed } from './bytes.ts'
import { uuidOffset } from './head.ts'
import { readUuidBytes } from './uuid.ts'

/** Words of both halves. */
const HALVES = 4
/** The words of the times come after XOR and sum of the halves. */
const TIMES = 2 * HALVES
const TWO_TO_32 = 2 ** 32

const uuid = new Uint32Array(HALVES)

/** A fingerprint as files and the service write it: the first and the second half, as unsigned decimal numbers. */
export interface FingerprintText {
  readonly xor: [string, string]
  readonly sum: [string, string]
}

/**
 * A fingerprint of a set of uuids, whatever their order: XOR and sum of their halves. Each half is 8 bytes, read as a
 * little-endian unsigned number, as ClickHouse's `reinterpretAsUInt64` does; sums wrap at 2^64. It says that two sets are
 * the same, not how they differ. An even number of copies cancels out in the XOR: add each member once.
 */
export class Fingerprint {
  count = 0
  /**
   * Words of 32 bits, low word first: XOR of both halves, then the sum of both, then the print of the times. One array: there
   * are many of these.
   */
  readonly #words = new Uint32Array(TIMES + 2)

  /** Adds the uuid of an event line that begins at `start`. */
  addLine(bytes: Buffer, start: number): void {
    this.add(bytes, uuidOffset(start))
  }

  /** Adds the uuid whose 36 characters begin at `at`, in lower case. */
  add(bytes: Uint8Array, at: number): void {
    readUuidBytes(bytes, at, uuid)
    this.addWords(uuid, 0)
  }

  /** Adds the uuid whose bytes are in four words, as `readUuidBytes` reads them. */
  addWords(words: Uint32Array, at: number): void {
    this.count++
    this.#put(0, words[at]!, words[at + 1]!)
    this.#put(2, words[at + 2]!, words[at + 3]!)
  }

  /**
   * Adds the time of a member, in microseconds, by its uuid: two sets of the same uuids have the same `times` if each member
   * has the same time. The service is not asked for these; they tell an input from what it was.
   */
  addTime(words: Uint32Array, at: number, instant: number): void {
    const high = Math.floor(instant / TWO_TO_32)
    const low = mixed(words[at]! ^ words[at + 2]! ^ (instant - high * TWO_TO_32))
    this.#addAt(TIMES, low, mixed(words[at + 1]! ^ words[at + 3]! ^ high ^ low))
  }

  /** The print of the times that were added, as an unsigned decimal number of 64 bits. */
  get times(): string {
    return decimal(this.#words, TIMES)
  }

  /** Adds all members of another set, which shares none with this one. */
  merge(other: Fingerprint): void {
    this.count += other.count
    for (const word of [0, 2]) {
      this.#words[word]! ^= other.#words[word]!
      this.#words[word + 1]! ^= other.#words[word + 1]!
      this.#addAt(HALVES + word, other.#words[HALVES + word]!, other.#words[HALVES + word + 1]!)
    }
    this.#addAt(TIMES, other.#words[TIMES]!, other.#words[TIMES + 1]!)
  }

  get text(): FingerprintText {
    return {
      xor: [decimal(this.#words, 0), decimal(this.#words, 2)],
      sum: [decimal(this.#words, HALVES), decimal(this.#words, HALVES + 2)],
    }
  }

  /** The fingerprint that was written as text. Throws a SyntaxError or RangeError for other text. */
  static of(count: number, { xor, sum }: FingerprintText): Fingerprint {
    const fingerprint = new Fingerprint()
    fingerprint.count = count
    for (const half of [0, 1] as const) {
      setDecimal(fingerprint.#words, half * 2, xor[half])
      setDecimal(fingerprint.#words, HALVES + half * 2, sum[half])
    }
    return fingerprint
  }

  #put(word: number, low: number, high: number): void {
    this.#words[word]! ^= low
    this.#words[word + 1]! ^= high
    this.#addAt(HALVES + word, low, high)
  }

  #addAt(word: number, low: number, high: number): void {
    const total = this.#words[word]! + low
    this.#words[word] = total
    this.#words[word + 1]! += high + (total > 0xffffffff ? 1 : 0)
  }
}

function decimal(words: Uint32Array, at: number): string {
  return ((BigInt(words[at + 1]!) << 32n) | BigInt(words[at]!)).toString()
}

function setDecimal(words: Uint32Array, at: number, text: string): void {
  const value = BigInt(text)
  if (value < 0n || value >> 64n !== 0n) throw new RangeError(`${text} does not fit into 64 bits`)
  words[at] = Number(value & 0xffffffffn)
  words[at + 1] = Number(value >> 32n)
}
