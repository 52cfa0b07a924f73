import type { Unit } from '../../../src/transform/job.ts'
import { DAYS, EVENT_BYTES, GZIP_RATIO, type History } from './history.ts'

/** A file of a run holds a head of 21 bytes beside each event. */
export const FRAME_BYTES = EVENT_BYTES + 21
/** Run objects that a map task writes at most. */
const GROUPS = 64

/** What one map task reads and writes. */
export interface MapTask {
  readonly units: number
  readonly inputs: number
  /** Bytes of files as they are stored. */
  readonly read: number
  readonly events: number
  /** Sizes of the run objects that it writes. */
  readonly objects: readonly number[]
  /** Days that it has events of: so many pieces are read back. */
  readonly days: number
}

/** All map tasks, and what they leave to the seal tasks. */
export interface MapLayout {
  readonly tasks: readonly MapTask[]
  /** Events of each day. */
  readonly dayEvents: Float64Array
  /** Map tasks that have events of a day. */
  readonly dayPieces: Uint32Array
}

/** Maps a history on paper: `firstUnits` says where each task begins, as a plan does; `groupOf` in which object a day is. */
export function mapOnPaper(
  { inputs, contents }: History,
  units: readonly Unit[],
  firstUnits: readonly number[],
  groupOf: (day: number) => number,
): MapLayout {
  const dayEvents = new Float64Array(DAYS)
  const dayPieces = new Uint32Array(DAYS)
  const own = new Float64Array(DAYS)
  const tasks: MapTask[] = []
  for (let task = 0; task + 1 < firstUnits.length; task++) {
    own.fill(0)
    const files = new Set<number>()
    let read = 0
    for (let at = firstUnits[task]!; at < firstUnits[task + 1]!; at++) {
      const { input, bytes } = units[at]!
      const { first, events } = contents[input]!
      const share = bytes / inputs[input]!.size
      for (const [day, count] of events.entries()) own[first + day]! += count * share
      files.add(input)
      read += bytes
    }
    const objects = new Float64Array(GROUPS)
    let events = 0
    let days = 0
    for (let day = 0; day < DAYS; day++) {
      if (own[day] === 0) continue
      objects[groupOf(day)]! += own[day]! * FRAME_BYTES
      events += own[day]!
      dayEvents[day]! += own[day]!
      dayPieces[day]!++
      days++
    }
    tasks.push({
      units: firstUnits[task + 1]! - firstUnits[task]!,
      inputs: files.size,
      read,
      events,
      objects: [...objects].filter((bytes) => bytes > 0),
      days,
    })
  }
  return { tasks, dayEvents, dayPieces }
}

/** Where each task begins, packed contiguously by `weigh`, and at the end the number of all units. */
export function packedBy(units: readonly Unit[], tasks: number, weigh: (unit: Unit) => number): number[] {
  const total = units.reduce((sum, unit) => sum + weigh(unit), 0)
  const first: number[] = []
  let before = 0
  for (const [number, unit] of units.entries()) {
    // A unit belongs to the task in whose share its middle is.
    const task = Math.min(tasks - 1, Math.floor(((before + weigh(unit) / 2) / total) * tasks))
    while (first.length <= task) first.push(number)
    before += weigh(unit)
  }
  while (first.length <= tasks) first.push(units.length)
  return first
}

/** Bytes of records that a unit holds once it is unpacked. */
export function unpackedBytes({ inputs }: History, unit: Unit): number {
  return inputs[unit.input]!.compression === 'none' ? unit.bytes : unit.bytes * GZIP_RATIO
}
