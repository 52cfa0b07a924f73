/** Kinds of JSON value, as the scanner found them. */
export const KIND = { string: 1, number: 2, object: 3, array: 4, true: 5, false: 6, null: 7 } as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** What a line holds somewhere that wants a second look; bits of `Tape.flags`. */
export const FLAG = { loneSurrogate: 1, hugeNumber: 2, bigInteger: 4 } as const

const STRIDE = 7
const ESCAPED_KEY = 8
const ESCAPED_VALUE = 16

/**
 * The members of every object of a line that stands in no array, in the order of the text: a flat table of spans.
 * A member's descendants follow it directly; `next` skips them.
 */
export class Tape {
  cells = new Int32Array(STRIDE * 512)
  count = 0
  flags = 0

  /** Opens a member and returns its index; its value is filled in by `close`. */
  open(keyStart: number, keyEnd: number, hash: number, escaped: boolean): number {
    const at = this.count * STRIDE
    if (at + STRIDE > this.cells.length) this.#grow()
    this.cells[at] = keyStart
    this.cells[at + 1] = keyEnd
    this.cells[at + 4] = escaped ? ESCAPED_KEY : 0
    this.cells[at + 6] = hash
    return this.count++
  }

  /** A whole member whose value is a string without escapes. */
  string(keyStart: number, keyEnd: number, hash: number, escaped: boolean, start: number, end: number): void {
    const at = this.count * STRIDE
    if (at + STRIDE > this.cells.length) this.#grow()
    const cells = this.cells
    cells[at] = keyStart
    cells[at + 1] = keyEnd
    cells[at + 2] = start
    cells[at + 3] = end
    cells[at + 4] = escaped ? ESCAPED_KEY | KIND.string : KIND.string
    cells[at + 5] = ++this.count
    cells[at + 6] = hash
  }

  close(index: number, start: number, end: number, kind: Kind, escaped: boolean): void {
    const at = index * STRIDE
    const cells = this.cells
    cells[at + 2] = start
    cells[at + 3] = end
    cells[at + 4] = cells[at + 4]! | kind | (escaped ? ESCAPED_VALUE : 0)
    cells[at + 5] = this.count
  }

  /** First byte of the key, behind its opening quote. */
  keyStart(index: number): number {
    return this.cells[index * STRIDE]!
  }
  /** The key's closing quote. */
  keyEnd(index: number): number {
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
  keyEscaped(index: number): boolean {
    return (this.cells[index * STRIDE + 4]! & ESCAPED_KEY) !== 0
  }
  escaped(index: number): boolean {
    return (this.cells[index * STRIDE + 4]! & ESCAPED_VALUE) !== 0
  }
  /** Index of the member that follows this one and its descendants. */
  next(index: number): number {
    return this.cells[index * STRIDE + 5]!
  }
  /** Hash of the key's bytes as written (see keys.ts). */
  hash(index: number): number {
    return this.cells[index * STRIDE + 6]!
  }

  #grow(): void {
    const larger = new Int32Array(this.cells.length * 2)
    larger.set(this.cells)
    this.cells = larger
  }
}
