import { hashBytes } from '../record/bytes.ts'
import type { Head } from '../record/head.ts'
import { keys } from '../record/keys.ts'
import { MOST_PERSON_BYTES } from '../record/stored-properties.ts'
import type { Tape } from '../record/tape.ts'

const SET = Buffer.from('$set')
/** Sums of ids, and properties that are told apart; powers of two. */
const SUMS = 1 << 20
const PROPERTIES = 1 << 18
/** Up to here the ends of lines are summed, which costs next to nothing; from here on the properties themselves. */
const ROUGH_BYTES = MOST_PERSON_BYTES / 4
/** Of events that set less than this, one of eight stands for all: looking into each would make a check half as slow again. */
const SMALL_BYTES = 2048
const EACH = 8
/**
 * A person over the limit has set over three quarters of it after the rough part: by 192 events or more, if they were
 * small. Half of that is seen even where chance took few of them.
 */
const SUSPECT_BYTES = ROUGH_BYTES + (MOST_PERSON_BYTES - ROUGH_BYTES) / 2

/**
 * Finds whose person may be over the limit, in 6 MiB for any number of persons: a sum for each hash of a distinct_id, to
 * which a property counts once, with its longest value. What shares a sum, and a property that had to make room for
 * another and comes again, make the sum too large, never too small.
 */
export class PersonBounds {
  readonly #sums = new Uint32Array(SUMS)
  /** By hash of id and name: what tells one from another, and its longest value. */
  readonly #marks = new Int32Array(PROPERTIES)
  readonly #longest = new Uint32Array(PROPERTIES)
  #looked = 0
  #id = 0
  #isAnySuspect = false

  /** True if a person may be over the limit. */
  get isAnySuspect(): boolean {
    return this.#isAnySuspect
  }

  /** True if the person of the event may be over it. */
  isSuspect(line: Buffer, head: Head): boolean {
    return this.#sums[sumOf(idHash(line, head))]! > SUSPECT_BYTES
  }

  /** Looks at an event line. Over 0: what it sets is wanted by `add`, and stands for that many events. */
  look(line: Buffer, head: Head): number {
    const at = line.indexOf(SET, head.distinctIdEnd)
    if (at < 0) return 0
    this.#id = idHash(line, head)
    const sum = this.#sums[sumOf(this.#id)]!
    if (sum > SUSPECT_BYTES) return 0
    const bytes = line.length - at
    if (sum + bytes > ROUGH_BYTES)
      return bytes > SMALL_BYTES ? 1 : mix(++this.#looked) % EACH === 0 ? EACH : 0
    this.#sums[sumOf(this.#id)] = sum + bytes
    return 0
  }

  /** Adds a $set or $set_once of the event that was looked at last: a member on the tape, and what `look` said. */
  add(tape: Tape, object: number, weight: number): void {
    for (let i = object + 1; i < tape.next(object); i = tape.next(i))
      this.#add(tape.key(i), (keys.sizes[tape.key(i)]! + tape.end(i) - tape.start(i) + 1) * weight)
  }

  #add(name: number, bytes: number): void {
    const hash = mix(this.#id ^ Math.imul(name + 1, 0x9e3779b1) ^ keys.generation)
    const mark = mix(hash ^ this.#id) | 1
    const slot = hash & (PROPERTIES - 1)
    const before = this.#marks[slot] === mark ? this.#longest[slot]! : 0
    if (bytes <= before) return
    this.#marks[slot] = mark
    this.#longest[slot] = bytes
    const sum = this.#sums[sumOf(this.#id)]! + bytes - before
    this.#sums[sumOf(this.#id)] = Math.min(sum, MOST_PERSON_BYTES)
    if (sum > SUSPECT_BYTES) this.#isAnySuspect = true
  }
}

function idHash(line: Buffer, { distinctIdStart, distinctIdEnd }: Head): number {
  return mix(hashBytes(line, distinctIdStart, distinctIdEnd))
}

function sumOf(hash: number): number {
  return hash & (SUMS - 1)
}

/** Spreads a hash over all of its bits. */
function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return whole ^ (whole >>> 16)
}
