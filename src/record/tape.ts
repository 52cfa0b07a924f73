import { grown } from './bytes.ts'
import type { Key } from './keys.ts'
import { decodeText } from './text.ts'

/** Kinds of JSON value, as the scanner found them. */
export const KIND = { string: 1, number: 2, object: 3, array: 4, true: 5, false: 6, null: 7 } as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** What somewhere in a line needs a second look; bits of `Tape.flags`. `packed`: text that may hold an object or array. */
export const FLAG = { loneSurrogate: 1, hugeNumber: 2, bigInteger: 4, packed: 8 } as const

const STRIDE = 6
const ESCAPED = 8

/**
 * The members of a line's objects, those inside arrays left out, in the order of the text: a flat table of spans. A
 * member's descendants follow it directly; `next` skips them.
 */
export class Tape {
  cells = new Int32Array(STRIDE * 512)
  count = 0
  flags = 0

  /** Opens a member and returns its index; its value is filled in by `close`. `at` as in `at()`. */
  open(key: Key, at: number): number {
    const cell = this.count * STRIDE
    if (cell + STRIDE > this.cells.length) this.#grow()
    this.cells[cell] = key
    this.cells[cell + 1] = at
    return this.count++
  }

  /** A whole member whose value has neither escapes nor members. */
  plain(key: Key, at: number, start: number, end: number, kind: Kind): void {
    const cell = this.count * STRIDE
    if (cell + STRIDE > this.cells.length) this.#grow()
    const cells = this.cells
    cells[cell] = key
    cells[cell + 1] = at
    cells[cell + 2] = start
    cells[cell + 3] = end
    cells[cell + 4] = kind
    cells[cell + 5] = ++this.count
  }

  close(index: number, start: number, end: number, kind: Kind, escaped: boolean): void {
    const cell = index * STRIDE
    const cells = this.cells
    cells[cell + 2] = start
    cells[cell + 3] = end
    cells[cell + 4] = escaped ? ESCAPED | kind : kind
    cells[cell + 5] = this.count
  }

  key(index: number): Key {
    return this.cells[index * STRIDE]!
  }
  /** Where `"key":value` begins, when it is spelled canonically and without blanks; -1 when that is not known. */
  at(index: number): number {
    return this.cells[index * STRIDE + 1]!
  }
  /** First byte of the value, quotes and brackets included. */
  start(index: number): number {
    return this.cells[index * STRIDE + 2]!
  }
  end(index: number): number {
    return this.cells[index * STRIDE + 3]!
  }
  kind(index: number): Kind {
    return (this.cells[index * STRIDE + 4]! & 7) as Kind
  }
  escaped(index: number): boolean {
    return (this.cells[index * STRIDE + 4]! & ESCAPED) !== 0
  }
  /** Index of the member that follows this one and its descendants. */
  next(index: number): number {
    return this.cells[index * STRIDE + 5]!
  }

  #grow(): void {
    this.cells = grown(this.cells)
  }
}

/** A string member decoded, a number or boolean as written; undefined for null and containers. */
export function valueText(tape: Tape, bytes: Buffer, index: number): string | undefined {
  const kind = tape.kind(index)
  const start = tape.start(index)
  const end = tape.end(index)
  if (kind === KIND.string) return decodeText(bytes, start + 1, end - 1, tape.escaped(index))
  if (kind === KIND.object || kind === KIND.array || kind === KIND.null) return undefined
  return bytes.toString('latin1', start, end)
}

/** The index on a tape of the member that a path leads to from the record, or -1. */
export function findMember(tape: Tape, path: readonly Key[]): number {
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
