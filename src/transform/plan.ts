import type { InputFile } from '../inputs/input-file.ts'
import { isSplittable } from '../inputs/read.ts'
import { MIB } from '../text/units.ts'
import type { Unit } from './job.ts'

const MIN_UNIT_BYTES = 4 * MIB
const MAX_UNIT_BYTES = 64 * MIB
/** Inputs are cut into about this many units, so that every core has some and none waits long at the end. */
const WANTED_UNITS = 64
/** A worker loads and compiles for as long as it then takes for this many bytes of plain records. */
const WORKER_BYTES = 32 * MIB
/** A file that can't be cut is most often compressed, and then holds about this many times its size. */
const PACKED = 8

/** Cuts inputs into units. A function of the inputs alone, so that a resumed transform finds the same units. */
export function cutUnits(inputs: readonly InputFile[]): Unit[] {
  const total = inputs.reduce((sum, input) => sum + input.size, 0)
  const size = Math.min(MAX_UNIT_BYTES, Math.max(MIN_UNIT_BYTES, Math.ceil(total / WANTED_UNITS)))
  return inputs.flatMap((input, index) => {
    if (!isDivisible(input)) return [{ input: index, range: undefined, bytes: input.size }]
    const units: Unit[] = []
    for (let start = 0; start < input.size; start += size) {
      const end = Math.min(start + size, input.size)
      units.push({ input: index, range: { start, end }, bytes: end - start })
    }
    return units
  })
}

/** Worker threads that units are worth, at most one a core: with more of them a small input takes longer. */
export function workersFor(units: readonly Unit[], cores: number): number {
  const bytes = units.reduce((sum, { range, bytes }) => sum + (range ? bytes : PACKED * bytes), 0)
  return Math.min(cores, Math.max(1, Math.ceil(bytes / WORKER_BYTES)))
}

/** Only in a plain file can a reader find the start of a line from the middle. */
function isDivisible(input: InputFile): boolean {
  return isSplittable(input) && !input.rejects
}
