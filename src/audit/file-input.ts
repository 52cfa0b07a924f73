import { createHash } from 'node:crypto'
import type { Head } from '../record/head.ts'
import { importIdsOf } from '../record/notes.ts'
import { dayText } from '../record/time.ts'
import { fingerprintOf } from '../store/arrival.ts'
import { DayCells } from '../transform/seal/cells.ts'
import { MICROS_PER_DAY } from '../units.ts'
import { EventKey, EventSet } from './event-set.ts'
import { type EventFiles, readEvents } from './read-events.ts'
import type { InputCell, VerifyInput } from './verify-input.ts'

/** The most events that memory holds to find copies. More events take more passes over the files. */
const PASS_EVENTS = 2_000_000

export interface FileInputOptions {
  /** As the user named them. */
  readonly paths: readonly string[]
  readonly files: EventFiles
  /** The `$import_job_id` that the reader gives to events without one. */
  readonly importId: string
  /** For tests. */
  readonly passEvents?: number
}

/**
 * Files that were imported as they are, as an input of `verify`: read by the same rules, each event once, for the service
 * merges copies. Up to 2,000,000 events take one pass; more take one for each share of that size, in the same memory.
 */
export async function fileInput(options: FileInputOptions): Promise<VerifyInput> {
  const { paths, files, importId, passEvents = PASS_EVENTS } = options
  const distinct = new DistinctEvents()
  let shares = 1
  let days = new Map<number, DayCells>()
  const { counts, notes } = await readEvents(files, (line, head) => {
    if (distinct.size <= passEvents) distinct.add(line, head, days, 0, 1)
  })
  if (distinct.size > passEvents) {
    shares = Math.ceil(counts.written / passEvents)
    days = new Map()
    for (let share = 0; share < shares; share++) {
      const part = new DistinctEvents()
      await readEvents(files, (line, head) => part.add(line, head, days, share, shares))
    }
  }
  const cells = [...days].sort(([a], [b]) => a - b).flatMap(([day, ofDay]) => cellsOf(dayText(day), ofDay))
  return {
    paths,
    cells,
    exact: true,
    importIds: importIdsOf(importId, notes),
    distinctIds: null,
    groupTypes: {},
    sha256: createHash('sha256')
      .update(JSON.stringify(cells.map(({ day, event, events }) => [day, event, events.count, events.text])))
      .digest('hex'),
    byDay: false,
    async read(wanted, each, between) {
      await readEvents(
        files,
        (line, head) => {
          if (wanted.has(dayText(dayNumber(head)))) each(line, head)
        },
        between,
      )
    },
  }
}

function cellsOf(day: string, ofDay: DayCells): InputCell[] {
  return ofDay.arrival(day).map((cell) => ({ day, event: cell.event, events: fingerprintOf(cell) }))
}

function dayNumber({ instant }: Head): number {
  return Math.floor(instant / MICROS_PER_DAY)
}

/** Tells events apart as the service does: by uuid, name, person and UTC day. */
class DistinctEvents {
  readonly #set = new EventSet()
  readonly #key = new EventKey()

  get size(): number {
    return this.#set.size
  }

  /** Adds an event of the share to its cell, unless it was there before. */
  add(line: Buffer, head: Head, days: Map<number, DayCells>, share: number, of: number): void {
    const day = dayNumber(head)
    const name = line.toString('utf8', head.eventStart, head.eventEnd)
    const key = this.#key.ofLine(line, head, `${day} ${name}`)
    if (key.share(of) !== share || !this.#set.add(key)) return
    let cells = days.get(day)
    if (!cells) {
      cells = new DayCells()
      days.set(day, cells)
    }
    cells.of(name).addLine(line, 0)
  }
}
