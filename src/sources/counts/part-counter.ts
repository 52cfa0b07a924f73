import { keyOf, LineFramer, parseTime, Scanner, Tape, valueText } from '../../record/index.ts'
import { MIB } from '../../text/index.ts'
import type { CountedBy, MemberPath } from './counted-by.ts'
import { DistinctSet, SpanHash } from './distinct.ts'
import { OTHER_EVENTS, type PartCounts, slotOf } from './part-counts.ts'

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
  readonly #event: number
  readonly #times: readonly number[][]
  readonly #identity: readonly number[][]
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
    const event = whole ? this.#find([this.#event]) : -1
    const name = event < 0 ? undefined : valueText(tape, bytes, event)
    const slot = name === undefined ? undefined : this.#slot(bytes)
    if (name === undefined || slot === undefined) this.#unread++
    else if (this.#by.uncounted.includes(name) || !this.#within(slot)) return
    else if (this.#isCopy(bytes, event)) this.#copies++
    else this.#add(name, slot)
  }

  #slot(bytes: Buffer): number | undefined {
    for (const path of this.#times) {
      const at = this.#find(path)
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
      const at = this.#find(path)
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

  /** Index on the tape of the member at a path, or -1. */
  #find(path: readonly number[]): number {
    const tape = this.#tape
    let [from, to] = [0, tape.count]
    let found = -1
    for (const key of path) {
      found = -1
      for (let at = from; at < to && found < 0; at = tape.next(at)) if (tape.key(at) === key) found = at
      if (found < 0) return -1
      ;[from, to] = [found + 1, tape.next(found)]
    }
    return found
  }
}

function keysOf(path: MemberPath): number[] {
  return path.map(keyOf)
}

/** Passes a stream of lines on and counts them. */
export async function* counted(body: AsyncIterable<Buffer>, counter: PartCounter): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    counter.push(chunk)
    yield chunk
  }
}
