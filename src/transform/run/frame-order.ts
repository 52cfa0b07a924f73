import { compareUuids } from '../../record/uuid-bytes.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import { ENTRY_DOUBLES, ENTRY_WORDS, type Entries, KEY_WORD, KIND_WORD } from './frame.ts'

/** Lines in memory at most: the number of one has 15 bits. */
export const MOST_LINES = 2 ** 15

/**
 * The lines of one day in order, given by their numbers: line n has the nth entry.
 *
 * A microsecond of the day has 37 bits and a number 15: both are in one double, and doubles are sorted in a third of the
 * time that a comparator takes. What is left is to sort the lines of one instant: they nearly always came in order.
 */
export function inOrder(day: number, lines: readonly number[], { doubles, words }: Entries): Uint32Array {
  const midnight = day * MICROS_PER_DAY
  const instantOf = (line: number) => doubles[line * ENTRY_DOUBLES]!
  const keys = new Float64Array(lines.length)
  // Instants are whole microseconds. A fraction would reach into the number, and lose a line.
  for (let i = 0; i < keys.length; i++)
    keys[i] = Math.floor(instantOf(lines[i]!) - midnight) * MOST_LINES + lines[i]!
  keys.sort()
  const order = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! - Math.floor(keys[i]! / MOST_LINES) * MOST_LINES
  const seqOf = (line: number) => doubles[line * ENTRY_DOUBLES + 1]!
  const kindOf = (line: number) => words[line * ENTRY_WORDS + KIND_WORD]!
  const uuidAt = (line: number) => line * ENTRY_WORDS + KEY_WORD
  const compare = (a: number, b: number) =>
    seqOf(a) - seqOf(b) || kindOf(a) - kindOf(b) || compareUuids(words, uuidAt(a), words, uuidAt(b))
  for (let from = 0, to = 0; from < order.length; from = to) {
    let sorted = true
    for (to = from + 1; to < order.length && instantOf(order[to]!) === instantOf(order[from]!); to++) {
      sorted &&= compare(order[to - 1]!, order[to]!) <= 0
    }
    if (!sorted) order.subarray(from, to).sort(compare)
  }
  return order
}
