import { KIND, type Tape } from '../record/tape.ts'

/** Tells the values that stand for nothing: null, '', and the vendor's words for it. */
export class Nothing {
  readonly #tape: Tape
  /** JSON text of the words; undefined when everything is something, null too. */
  readonly #words: readonly Buffer[] | undefined

  constructor(tape: Tape, words: readonly string[] | undefined) {
    this.#tape = tape
    this.#words = words?.map((word) => Buffer.from(JSON.stringify(word)))
  }

  /** True when the value of the member at `index` is left out. */
  is(bytes: Buffer, index: number): boolean {
    const words = this.#words
    if (words === undefined) return false
    const tape = this.#tape
    const kind = tape.kind(index)
    if (kind === KIND.null) return true
    if (kind !== KIND.string) return false
    const start = tape.start(index)
    const length = tape.end(index) - start
    if (length === 2) return true
    // Words and values of one length differ at the first letter, mostly; a call to compare costs more than the look.
    for (const word of words) {
      if (word.length !== length || word[1] !== bytes[start + 1]) continue
      if (bytes.compare(word, 0, length, start, start + length) === 0) return true
    }
    return false
  }
}
