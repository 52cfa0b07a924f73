import type { ByteWriter } from '../../record/byte-writer.ts'
import { MICROS_PER_DAY } from '../../units.ts'
import { FRAME_HEAD } from './frame.ts'

/** Frames in memory at most: the number of one has 16 bits. */
export const MOST_FRAMES = 2 ** 16

/**
 * The frames of one day in order, given by their numbers: frame n is [starts[n], starts[n + 1]) of `lines`.
 *
 * A microsecond of the day has 37 bits and a number 16: both are in one double, and doubles are sorted in a third of the
 * time that a comparator takes. What is left is to sort the frames of one instant: they nearly always came in order.
 */
export function inOrder(
  day: number,
  frames: readonly number[],
  instants: Float64Array,
  starts: Uint32Array,
  { bytes, words }: ByteWriter,
): Uint32Array {
  const midnight = day * MICROS_PER_DAY
  const keys = new Float64Array(frames.length)
  // Instants are whole microseconds. A fraction would reach into the number, and lose a frame.
  for (let i = 0; i < keys.length; i++)
    keys[i] = Math.floor(instants[frames[i]!]! - midnight) * MOST_FRAMES + frames[i]!
  keys.sort()
  const order = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! - Math.floor(keys[i]! / MOST_FRAMES) * MOST_FRAMES
  const seqOf = (frame: number) => words.getFloat64(starts[frame]! + 8, true)
  const kindOf = (frame: number) => words.getUint8(starts[frame]! + 16)
  const lineOf = (frame: number) => bytes.subarray(starts[frame]! + FRAME_HEAD, starts[frame + 1])
  const compare = (a: number, b: number) =>
    seqOf(a) - seqOf(b) || kindOf(a) - kindOf(b) || lineOf(a).compare(lineOf(b))
  for (let from = 0, to = 0; from < order.length; from = to) {
    let sorted = true
    for (to = from + 1; to < order.length && instants[order[to]!] === instants[order[from]!]; to++) {
      sorted &&= compare(order[to - 1]!, order[to]!) <= 0
    }
    if (!sorted) order.subarray(from, to).sort(compare)
  }
  return order
}
