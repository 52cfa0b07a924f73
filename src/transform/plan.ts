import type { InputFile } from '../inputs/input-file.ts'
import { isSplittable } from '../inputs/read.ts'
import { sum } from '../text/lists.ts'
import { KIB, MIB } from '../text/units.ts'
import type { Unit } from './job.ts'

const MIN_UNIT_BYTES = 4 * MIB
const MAX_UNIT_BYTES = 64 * MIB
/** Inputs are cut into about this many units, so that every core has some and none waits long at the end. */
const WANTED_UNITS = 64
/** A worker loads and compiles for as long as it then takes for this many bytes of plain records. */
const WORKER_BYTES = 32 * MIB
/** A file that can't be cut is most often compressed, and then holds about this many times its size. */
const PACKED = 8

/** Beyond so many units small files share one: each has a result, and files of its own in the work folder. */
const MANY_UNITS = 1024
/** To open a file takes as long as to map about so many bytes. */
const FILE_BYTES = 64 * KIB

/** Cuts inputs into units. A function of the inputs alone, so that a resumed transform finds the same units. */
export function cutUnits(inputs: readonly InputFile[]): Unit[] {
  const units = unitsOf(inputs)
  return units.length <= MANY_UNITS ? units : together(units, inputs)
}

/** Puts small files that follow each other into one unit. */
function together(units: readonly Unit[], inputs: readonly InputFile[]): Unit[] {
  const weightOf = ({ range, bytes }: Unit) => FILE_BYTES + (range ? bytes : PACKED * bytes)
  const share = sum(units.map(weightOf)) / MANY_UNITS
  // Large files stay apart: a worker is never given more than it can have.
  const most = Math.min(MAX_UNIT_BYTES, Math.max(MIN_UNIT_BYTES, share))
  const made: Unit[] = []
  let room = 0
  for (const unit of units) {
    const before = made.at(-1)
    const isWhole = !unit.range || unit.bytes === inputs[unit.input]!.size
    const weight = weightOf(unit)
    if (before && isWhole && weight <= room) {
      const files = unit.input + 1 - before.input
      made[made.length - 1] = { ...before, files, range: undefined, bytes: before.bytes + unit.bytes }
    } else {
      made.push(unit)
      room = isWhole ? most : 0
    }
    room -= weight
  }
  return made
}

function unitsOf(inputs: readonly InputFile[]): Unit[] {
  const total = sum(inputs.map(({ size }) => size))
  const size = Math.min(MAX_UNIT_BYTES, Math.max(MIN_UNIT_BYTES, Math.ceil(total / WANTED_UNITS)))
  return inputs.flatMap((input, index) => {
    if (!isDivisible(input)) return [{ input: index, files: 1, range: undefined, bytes: input.size }]
    const units: Unit[] = []
    for (let start = 0; start < input.size; start += size) {
      const end = Math.min(start + size, input.size)
      units.push({ input: index, files: 1, range: { start, end }, bytes: end - start })
    }
    return units
  })
}

/** Worker threads that units are worth, at most one a core: with more of them a small input takes longer. */
export function workersFor(units: readonly Unit[], cores: number): number {
  const bytes = sum(units.map(({ range, bytes }) => (range ? bytes : PACKED * bytes)))
  return Math.min(cores, Math.max(1, Math.ceil(bytes / WORKER_BYTES)))
}

/** Only in a plain file can a reader find the start of a line from the middle. */
function isDivisible(input: InputFile): boolean {
  return isSplittable(input) && !input.rejects
}
