import type { Span } from '../record/members.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { KIND, type Kind, type Tape } from '../record/tape.ts'

/** Tells empty values: null, '', and the vendor's words for them. */
export class EmptyValues {
  readonly #tape: Tape
  /** JSON text of the words; undefined when no value is empty, not even null. */
  readonly #words: readonly Buffer[] | undefined
  /** A bit for each length of a word: most values have another length, and need no comparison. */
  readonly #lengths: number

  constructor(tape: Tape, words: readonly string[] | undefined) {
    this.#tape = tape
    this.#words = words && ['', ...words].map((word) => Buffer.from(JSON.stringify(word)))
    this.#lengths = (this.#words ?? []).reduce((bits, { length }) => bits | bitOf(length), 0)
  }

  /** True when the value of the member at `index` is left out. */
  is(bytes: Buffer, index: number): boolean {
    if (this.#words === undefined) return false
    const tape = this.#tape
    const kind = tape.kind(index)
    if (kind === KIND.null) return true
    return kind === KIND.string && this.isWord(bytes, tape.start(index), tape.end(index))
  }

  isMade({ bytes, start, end }: Readonly<Span>): boolean {
    return this.isWord(bytes, start, end)
  }

  isWord(bytes: Buffer, start: number, end: number): boolean {
    const words = this.#words
    const length = end - start
    if (words === undefined || (this.#lengths & bitOf(length)) === 0) return false
    for (const word of words) {
      // Most differ in the first letter, and a call to compare costs more than looking.
      if (word.length !== length || word[1] !== bytes[start + 1]) continue
      if (bytes.compare(word, 0, length, start, start + length) === 0) return true
    }
    return false
  }
}

function bitOf(length: number): number {
  return 1 << Math.min(length, 31)
}

/** What messages call a kind of value. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  [KIND.string]: 'text',
  [KIND.number]: 'a number',
  [KIND.object]: 'an object',
  [KIND.array]: 'an array',
  [KIND.true]: 'a boolean',
  [KIND.false]: 'a boolean',
  [KIND.null]: 'null',
}

/**
 * Counts a value of a kind that its rule can't use. `label` names the rule and the member. Null, '' and [] say nothing,
 * and are not counted: some libraries write an empty object as [].
 */
export function noteUnusable(
  { unusable }: Pick<Notes, 'unusable'>,
  label: string,
  tape: Tape,
  at: number,
): void {
  const kind = tape.kind(at)
  const isBare = (kind === KIND.string || kind === KIND.array) && tape.end(at) - tape.start(at) === 2
  if (kind !== KIND.null && !isBare) countOne(unusable, `${label} is ${KIND_WORDS[kind]}`)
}
