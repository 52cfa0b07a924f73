import type { InputSource } from '../delivery/event-source.ts'
import type { LineReader } from '../delivery/line-reader.ts'
import { START } from '../delivery/place.ts'
import { type Head, readHead, uuidOffset } from '../record/head.ts'
import { addCounts } from '../record/notes.ts'
import { dayText } from '../record/time.ts'
import { BufferPool } from '../transform/run/buffer-pool.ts'
import { SeenEvents, uuidRange } from '../transform/seal/dedupe.ts'
import { MICROS_PER_DAY } from '../units.ts'
import type { Days } from './compare.ts'
import { type Inspection, Inspector, readLines } from './inspect.ts'
import type { MigrationSubject } from './migration-plan.ts'

/** The most events that memory holds to find copies. More events take more passes over the files. */
const PASS_EVENTS = 2_000_000

export interface SurveyOptions {
  /** Called for each pass. */
  readonly open: () => Promise<{ readonly source: InputSource; readonly reader: LineReader }>
  readonly interrupted: AbortSignal
  readonly progress: (bytes: number) => void
  /** For tests. */
  readonly passEvents?: number
}

/** What a manifest would say of these files, and what is found out by reading every event. */
export interface Survey {
  readonly subject: MigrationSubject
  readonly inspection: Inspection
}

/**
 * Reads files of the service's own events as an import would, and counts what would be sent. An event that is in the
 * files twice is sent twice, so it counts twice.
 */
export async function survey(options: SurveyOptions, youngFrom: number): Promise<Survey> {
  const days = new DayCounts()
  const inspector = new Inspector(youngFrom)
  const { parts, counts, bigIntegers } = await pass(options, (line, head) => {
    days.add(line, head)
    inspector.look(line, head)
  })
  const subject = {
    parts,
    ...days.totals(),
    records: { rejected: counts.rejected },
    big_integers: bigIntegers,
    source: { preset: 'posthog' },
  }
  return { subject, inspection: inspector.inspection }
}

/**
 * Counts by day and name as the service does after it has merged: an event that is in the files twice counts once. Up
 * to 2,000,000 events take one pass. More take one pass for each share of that size, in the same memory.
 */
export async function surveyDistinct(options: SurveyOptions): Promise<Days> {
  const limit = options.passEvents ?? PASS_EVENTS
  let days = new DayCounts()
  const distinct = new DistinctEvents()
  const { counts } = await pass(options, (line, head) => {
    if (distinct.size <= limit && distinct.isNew(line, head)) days.add(line, head)
  })
  if (distinct.size <= limit) return days.byDay()
  const passes = Math.ceil(counts.written / limit)
  days = new DayCounts()
  for (let range = 0; range < passes; range++) {
    distinct.clear()
    await pass(options, (line, head) => {
      if (uuidRange(line, uuidOffset(0), passes) === range && distinct.isNew(line, head)) days.add(line, head)
    })
  }
  return days.byDay()
}

/** Counts events by day and name. */
class DayCounts {
  readonly #days = new Map<number, Map<string, number>>()

  add(line: Buffer, { instant, eventStart, eventEnd }: Head): void {
    const day = Math.floor(instant / MICROS_PER_DAY)
    const names = this.#days.get(day) ?? new Map<string, number>()
    this.#days.set(day, names)
    const name = JSON.parse(line.toString('utf8', eventStart, eventEnd)) as string
    names.set(name, (names.get(name) ?? 0) + 1)
  }

  totals(): Pick<MigrationSubject, 'days' | 'names'> {
    const names: Record<string, number> = Object.create(null)
    const days: Record<string, number> = {}
    for (const [day, tally] of Object.entries(this.byDay())) {
      addCounts(names, tally)
      days[day] = Object.values(tally).reduce((sum, n) => sum + n, 0)
    }
    return { days, names }
  }

  byDay(): Record<string, Record<string, number>> {
    const days: Record<string, Record<string, number>> = {}
    for (const [day, names] of [...this.#days].sort(([a], [b]) => a - b)) {
      const counts: Record<string, number> = Object.create(null)
      for (const [name, count] of names) counts[name] = count
      days[dayText(day)] = counts
    }
    return days
  }
}

/** Tells events apart as the service does: by uuid, name, person and UTC day. */
class DistinctEvents {
  readonly #seen = new SeenEvents(1024, new BufferPool())
  /** The uuid's 36 characters, the number of the day, and the line's bytes from the event name to the distinct_id. */
  #key = Buffer.alloc(1024)
  size = 0

  isNew(line: Buffer, { instant, eventStart, distinctIdEnd }: Head): boolean {
    const length = 40 + distinctIdEnd - eventStart
    if (length > this.#key.length) this.#key = Buffer.alloc(2 * length)
    line.copy(this.#key, 0, uuidOffset(0), uuidOffset(0) + 36)
    this.#key.writeInt32LE(Math.floor(instant / MICROS_PER_DAY), 36)
    line.copy(this.#key, 40, eventStart, distinctIdEnd)
    if (this.#seen.count(this.#key, 0, 36, length) > 0) return false
    this.size++
    return true
  }

  clear(): void {
    this.#seen.clear()
    this.size = 0
  }
}

/** Reads everything once, and calls `each` with every event line that would be sent. */
async function pass(
  { open, interrupted, progress }: SurveyOptions,
  each: (line: Buffer, head: Head) => void,
) {
  const { source, reader } = await open()
  const counts = { written: 0, rejected: 0 }
  const bigIntegers: Record<string, number> = Object.create(null)
  const sink = {
    line(bytes: Buffer, start: number, end: number, offset: number, number: number) {
      const unsent = reader.read(bytes, start, end, offset, number)
      const notes = reader.takeNotes()
      if (notes) addCounts(bigIntegers, notes.big_integers)
      if (unsent) {
        if (!unsent.filtered) counts.rejected++
        return
      }
      counts.written++
      const line = reader.bytes.subarray(reader.start, reader.end)
      each(line, readHead(line, 0, line.length)!)
    },
    tooLong() {
      counts.rejected++
    },
  }
  const starts: number[] = []
  for await (const { file, from, chunks } of source.pieces(START)) {
    reader.begin(file)
    starts.push(source.bytesBefore(from))
    await readLines(chunks, sink, interrupted, progress)
  }
  const parts = starts.map((start, n) => ({ bytes: (starts[n + 1] ?? source.totalBytes) - start }))
  return { parts, counts, bigIntegers }
}
