import { createHash } from 'node:crypto'
import { type Head, headName } from '../record/head.ts'
import { importIdsOf } from '../record/notes.ts'
import { dayOf, dayText } from '../record/time.ts'
import { fingerprintOf } from '../store/arrival-cell.ts'
import { DayCells } from '../transform/seal/cells.ts'
import { EventKey, EventSet } from './event-set.ts'
import { headDay } from './gaps.ts'
import { type EventFiles, readEvents } from './read-events.ts'
import { type InputDay, sumOfCells, type VerifyInput } from './verify-input.ts'

/** The most events that memory holds to find copies. More events take more passes over the files. */
const PASS_EVENTS = 2_000_000

/** Days and names that are told apart in all files together. */
const MOST_CELLS = 200_000

interface FileInputOptions {
  /** As the user named them. */
  readonly paths: readonly string[]
  readonly files: EventFiles
  /** The `$import_job_id` that the reader gives to events without one. */
  readonly importId: string
  /** For tests: the most events that one pass over the files holds, and the cells that are told apart. */
  readonly passEvents?: number
  readonly mostCells?: number
}

/**
 * Files that were imported as they are, as an input of `verify`: read by the same rules, each event once, for the service
 * merges copies. Up to 2,000,000 events take one pass; more take one for each share of that size, in the same memory.
 */
export async function fileInput(options: FileInputOptions): Promise<VerifyInput> {
  const { paths, files, importId, passEvents = PASS_EVENTS, mostCells = MOST_CELLS } = options
  const distinct = new DistinctEvents()
  let shares = 1
  let days = new FileDays(mostCells)
  const { counts, notes } = await readEvents(files, (line, head) => {
    if (distinct.size <= passEvents) distinct.add(line, head, days)
  })
  if (distinct.size > passEvents) {
    shares = Math.ceil(counts.written / passEvents)
    days = new FileDays(mostCells)
    for (let share = 0; share < shares; share++) {
      const part = new DistinctEvents({ share, of: shares })
      await readEvents(files, (line, head) => part.add(line, head, days))
    }
  }
  const readDays = () => days.read()
  const hash = createHash('sha256')
  for await (const { cells } of readDays())
    for (const { day, event, events } of cells)
      hash.update(JSON.stringify([day, event, events.count, events.text]))
  return {
    paths,
    sums: await sumOfCells(readDays),
    readDays,
    importIds: importIdsOf(importId, notes),
    distinctIds: null,
    groupTypes: {},
    sha256: hash.digest('hex'),
    unreadable: new Map(),
    byDay: false,
    async read(wanted, each, between) {
      const look = (line: Buffer, head: Head) => {
        if (wanted.has(headDay(head))) each(line, head)
      }
      await readEvents(files, look, between)
    },
  }
}

/** The cells of the files' days. If they are too many, the largest days are told apart by name no longer. */
class FileDays {
  readonly #days = new Map<number, DayCells>()
  readonly #most: number
  #cells = 0

  constructor(most: number) {
    this.#most = most
  }

  add(day: number, name: string, line: Buffer, head: Head): void {
    const own = this.#days.get(day) ?? new DayCells()
    this.#days.set(day, own)
    const before = own.size
    own.of(name).addLine(line, head)
    this.#cells += own.size - before
    if (this.#cells > this.#most) this.#fold()
  }

  async *read(): AsyncGenerator<InputDay> {
    for (const [number, own] of [...this.#days].sort(([a], [b]) => a - b)) {
      const day = dayText(number)
      const cells = own
        .told(day)
        .arrival.map((cell) => ({ day, event: cell.event, events: fingerprintOf(cell) }))
      yield { day, cells }
    }
  }

  /** Half of the cells go: a fold for each new one would take long. */
  #fold(): void {
    for (const own of [...this.#days.values()].sort((a, b) => b.size - a.size)) {
      if (this.#cells <= this.#most / 2) return
      this.#cells -= own.size
      own.fold()
    }
  }
}

/** Tells events apart as the service does: by uuid, name, person and UTC day. */
class DistinctEvents {
  readonly #set = new EventSet()
  readonly #key = new EventKey()
  readonly #part: { readonly share: number; readonly of: number }

  /** Of the events only those of `share`, of `of` shares. */
  constructor(part = { share: 0, of: 1 }) {
    this.#part = part
  }

  get size(): number {
    return this.#set.size
  }

  /** Adds an event of the share to its cell, unless it was there before. */
  add(line: Buffer, head: Head, days: FileDays): void {
    const day = dayOf(head.instant)
    const name = headName(line, head)
    const key = this.#key.ofLine(line, head, `${day} ${name}`)
    if (key.share(this.#part.of) !== this.#part.share || !this.#set.add(key)) return
    days.add(day, name, line, head)
  }
}
