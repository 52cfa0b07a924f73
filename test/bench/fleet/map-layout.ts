import type { Unit } from '../../../src/transform/job.ts'
import { ENTRY_BYTES } from '../../../src/transform/run/frame.ts'
import { DAYS, EVENT_BYTES, type History } from './history.ts'

/** An event's line in a file of a run, and its entry in the index beside the lines. */
export const RUN_BYTES = EVENT_BYTES + ENTRY_BYTES

/** What one map task reads and writes. */
export interface MapTask {
  /** Requests for bytes of inputs: of a range of lines also its ends are looked for. */
  readonly reads: number
  readonly inputs: number
  /** Bytes of files as they are stored. */
  readonly read: number
  readonly events: number
  /** Sizes of the run objects that it writes, by group. */
  readonly objects: ReadonlyMap<number, number>
}

/** All map tasks, and what they leave to the seal tasks. */
export interface MapLayout {
  readonly tasks: readonly MapTask[]
  /** Events of each day. */
  readonly dayEvents: Float64Array
  /** Map tasks that have events of a day. */
  readonly dayPieces: Uint32Array
}

/** Maps a history on paper: `firstUnits` says where each task begins, as a plan does; `groupOfDay` in which object a day is. */
export function mapOnPaper(
  { inputs, contents }: History,
  units: readonly Unit[],
  firstUnits: readonly number[],
  groupOfDay: (day: number) => number,
): MapLayout {
  const dayEvents = new Float64Array(DAYS)
  const dayPieces = new Uint32Array(DAYS)
  const own = new Float64Array(DAYS)
  const tasks: MapTask[] = []
  for (let task = 0; task + 1 < firstUnits.length; task++) {
    own.fill(0)
    const files = new Set<number>()
    let read = 0
    let reads = 0
    for (let at = firstUnits[task]!; at < firstUnits[task + 1]!; at++) {
      const unit = units[at]!
      read += unit.bytes
      for (let input = unit.input; input < unit.input + unit.files; input++) {
        const { first, events } = contents[input]!
        const share = unit.files > 1 ? 1 : unit.bytes / inputs[input]!.size
        for (const [day, count] of events.entries()) own[first + day]! += count * share
        files.add(input)
        reads += inputs[input]!.compression === 'none' ? 3 : 1
      }
    }
    const objects = new Map<number, number>()
    let events = 0
    for (let day = 0; day < DAYS; day++) {
      if (own[day] === 0) continue
      const group = groupOfDay(day)
      objects.set(group, (objects.get(group) ?? 0) + own[day]! * RUN_BYTES)
      events += own[day]!
      dayEvents[day]! += own[day]!
      dayPieces[day]!++
    }
    tasks.push({
      reads,
      inputs: files.size,
      read,
      events,
      objects,
    })
  }
  return { tasks, dayEvents, dayPieces }
}
