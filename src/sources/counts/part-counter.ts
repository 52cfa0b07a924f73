import { type Key, keyOf } from '../../record/keys.ts'
import { LineFramer } from '../../record/lines.ts'
import { Scanner } from '../../record/scan.ts'
import { findMember, Tape, valueText } from '../../record/tape.ts'
import { parseTime } from '../../record/time.ts'
import { MIB } from '../../text/units.ts'
import type { CountedBy, MemberPath } from '../source.ts'
import { OTHER_EVENTS, type PartCounts, slotOf } from './part-counts.ts'

const LEAST_SLOTS = 1 << 12

/**
 * A set of hashes of 64 bits in two halves, of bounded size. Among a few million, two different records have one hash
 * with a chance of less than one in a million.
 */
export class DistinctSet {
  readonly #most: number
  #low = new Int32Array(LEAST_SLOTS)
  #high = new Int32Array(LEAST_SLOTS)
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get full(): boolean {
    return this.#size >= this.#most
  }

  /** Adds a hash; false if the set has it already. */
  add(low: number, high: number): boolean {
    // An empty slot is 0, 0.
    const first = low === 0 && high === 0 ? 1 : low
    const slot = this.#find(first, high)
    if (this.#low[slot] !== 0 || this.#high[slot] !== 0) return false
    this.#low[slot] = first
    this.#high[slot] = high
    if (++this.#size * 4 > this.#low.length * 3) this.#grow()
    return true
  }

  /** Where the hash is, or the free slot where it belongs. */
  #find(low: number, high: number): number {
    const mask = this.#low.length - 1
    let slot = low & mask
    while (
      (this.#low[slot] !== 0 || this.#high[slot] !== 0) &&
      (this.#low[slot] !== low || this.#high[slot] !== high)
    ) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const [low, high] = [this.#low, this.#high]
    this.#low = new Int32Array(low.length * 2)
    this.#high = new Int32Array(low.length * 2)
    for (const [from, half] of low.entries()) {
      if (half === 0 && high[from] === 0) continue
      const slot = this.#find(half, high[from]!)
      this.#low[slot] = half
      this.#high[slot] = high[from]!
    }
  }
}

/** A hash of 64 bits over spans of bytes, in which it counts where one span ends and the next begins. */
export class SpanHash {
  low = 0
  high = 0

  reset(): void {
    this.low = 0x2f0b4a37
    this.high = 0x5bd1e995
  }

  add(bytes: Buffer, start: number, end: number): void {
    let { low, high } = this
    for (let i = start; i < end; i++) {
      low = Math.imul(low ^ bytes[i]!, 0x9e3779b1)
      high = Math.imul(high ^ bytes[i]!, 0x5f356495)
    }
    const length = end - start
    // The halves are mixed, so that each depends on all bits of both.
    this.low = Math.imul(low ^ (high >>> 15) ^ length, 0x85ebca6b)
    this.high = Math.imul(high ^ (this.low >>> 13) ^ length, 0xc2b2ae35)
  }
}

/** Names that are counted apart in a part; the rest are counted together. */
const MOST_NAMES = 10_000
/** So many records of a part are told apart, in 32 MiB at most. */
export const MOST_DISTINCT = 3_000_000
/** The longest record that is read. The vendors take none that is larger. */
const MOST_BYTES = 32 * MIB

/**
 * Counts the records of a part by event and quarter of an hour, as the vendor's report counts them; with `within`, only
 * those of the quarters that it lets through.
 */
export class PartCounter {
  readonly #by: CountedBy
  readonly #within: (slot: number) => boolean
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #hash = new SpanHash()
  readonly #framer: LineFramer
  readonly #event: Key
  readonly #times: readonly Key[][]
  readonly #identity: readonly Key[][]
  readonly #counts = new Map<string, Map<number, number>>()
  #distinct: DistinctSet | undefined
  #copies = 0
  #unread = 0

  constructor(by: CountedBy, mostDistinct = MOST_DISTINCT, within: (slot: number) => boolean = () => true) {
    this.#by = by
    this.#within = within
    this.#event = keyOf(by.event)
    this.#times = by.times.map(keysOf)
    this.#identity = by.identity.map(keysOf)
    this.#distinct = by.identity.length > 0 ? new DistinctSet(mostDistinct) : undefined
    this.#framer = new LineFramer(
      {
        line: (bytes, start, end) => this.#line(bytes, start, end),
        tooLong: () => void this.#unread++,
      },
      MOST_BYTES,
    )
  }

  push(chunk: Buffer): void {
    this.#framer.push(chunk)
  }

  /** The counts, once the last chunk has come. */
  end(): PartCounts {
    this.#framer.end()
    const told = this.#by.identity.length === 0 || this.#distinct !== undefined
    return { counts: this.#counts, copies: told ? this.#copies : null, unread: this.#unread }
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const tape = this.#tape
    const whole = this.#scanner.scan(bytes, start, end)
    const event = whole ? findMember(this.#tape, [this.#event]) : -1
    const name = event < 0 ? undefined : valueText(tape, bytes, event)
    const slot = name === undefined ? undefined : this.#slot(bytes)
    if (name === undefined || slot === undefined) this.#unread++
    else if (this.#by.uncounted.includes(name) || !this.#within(slot)) return
    else if (this.#isCopy(bytes, event)) this.#copies++
    else this.#add(name, slot)
  }

  #slot(bytes: Buffer): number | undefined {
    for (const path of this.#times) {
      const at = findMember(this.#tape, path)
      const text = at < 0 ? undefined : valueText(this.#tape, bytes, at)
      if (text === undefined || text === '') continue
      try {
        return slotOf(parseTime(text))
      } catch {
        return undefined
      }
    }
    return undefined
  }

  #isCopy(bytes: Buffer, event: number): boolean {
    if (this.#distinct === undefined) return false
    const hash = this.#hash
    hash.reset()
    hash.add(bytes, this.#tape.start(event), this.#tape.end(event))
    for (const path of this.#identity) {
      const at = findMember(this.#tape, path)
      if (at < 0) return false
      hash.add(bytes, this.#tape.start(at), this.#tape.end(at))
    }
    if (!this.#distinct.add(hash.low, hash.high)) return true
    // From here on copies count, and nobody can say how many there are.
    if (this.#distinct.full) this.#distinct = undefined
    return false
  }

  #add(name: string, slot: number): void {
    let slots = this.#counts.get(name)
    if (slots === undefined) {
      const known = this.#counts.size < MOST_NAMES ? name : OTHER_EVENTS
      slots = this.#counts.get(known) ?? new Map()
      this.#counts.set(known, slots)
    }
    slots.set(slot, (slots.get(slot) ?? 0) + 1)
  }
}

function keysOf(path: MemberPath): Key[] {
  return path.map(keyOf)
}

/** Passes a stream of lines on and counts them. */
export async function* counted(body: AsyncIterable<Buffer>, counter: PartCounter): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    counter.push(chunk)
    yield chunk
  }
}
