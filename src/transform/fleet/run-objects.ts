import { crc32 } from 'node:zlib'
import type { Store } from '../../store/index.ts'
import { groupedBy, MIB } from '../../text/index.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import { ENTRY_BYTES, type Segment } from '../run/frame.ts'
import { LineCopy } from '../run/line-copy.ts'
import { Merge } from '../run/merge.ts'
import type { FleetPiece, WholeFile } from './done-file.ts'
import { groupOf, sealTaskOf } from './pack.ts'
import { loadPiece, type TaskFiles } from './pieces.ts'

const CHUNK_BYTES = MIB

/** A segment of a run (transform/run/frame.ts): a task's lines of one day, with their index. */
export interface DayRun extends FleetPiece {
  readonly day: number
  readonly events: number
  readonly linesCrc: number
}

/**
 * An object with the segments of some days. Those of one seal task follow each other. At the end is the index: of each day
 * where its segment is, as JSON.
 */
export interface RunObject extends WholeFile {
  readonly group: number
  readonly index: FleetPiece
}

/**
 * Merges a task's runs and writes them to the store: an object for each group of seal tasks, none for a group without days.
 * The bytes depend on the lines alone, however they were divided into runs.
 */
export async function writeRuns(
  files: TaskFiles,
  folder: string,
  segments: readonly Segment[],
  tasks: number,
): Promise<RunObject[]> {
  const days = groupByDay(segments).map(([day, own]) => ({ day, own, task: sealTaskOf(day, tasks) }))
  days.sort((a, b) => a.task - b.task || a.day - b.day)
  const groups = groupedBy(days, ({ task }) => groupOf(task))
  const pool = new BufferPool()
  const written: RunObject[] = []
  for (const [group, own] of [...groups].sort(([a], [b]) => a - b)) {
    const name = `runs-${String(group).padStart(2, '0')}`
    const object = new ObjectWriter(files.nameOf(name), folder, own, pool)
    const whole = await files.put(name, object.chunks())
    written.push({ ...whole, group, index: object.index })
  }
  return written
}

type DaySegments = { readonly day: number; readonly own: readonly Segment[] }

class ObjectWriter {
  index: FleetPiece
  readonly #file: string
  readonly #folder: string
  readonly #days: readonly DaySegments[]
  readonly #pool: BufferPool

  constructor(file: string, folder: string, days: readonly DaySegments[], pool: BufferPool) {
    this.#file = file
    this.#folder = folder
    this.#days = days
    this.#pool = pool
    this.index = { file, offset: 0, bytes: 0, crc: 0 }
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const runs: DayRun[] = []
    let offset = 0
    for (const { day, own } of this.#days) {
      const sum = { bytes: 0, crc: 0, linesCrc: 0, events: 0 }
      for (const part of [this.#lines(own), this.#entries(own)]) {
        sum.linesCrc = sum.crc
        for (const chunk of part) {
          sum.bytes += chunk.length
          sum.crc = crc32(chunk, sum.crc)
          yield chunk
        }
      }
      for (const { events } of own) sum.events += events
      runs.push({ day, file: this.#file, offset, ...sum })
      offset += sum.bytes
    }
    const index = Buffer.from(JSON.stringify(runs))
    this.index = { file: this.#file, offset, bytes: index.length, crc: crc32(index) }
    yield index
  }

  /** The lines of one day in order, in chunks of one buffer. */
  *#lines(segments: readonly Segment[]): Generator<Buffer> {
    const merge = new Merge(this.#folder, segments, this.#pool)
    const { out } = this.#pool
    out.length = 0
    const copy = new LineCopy(this.#folder, segments, merge, out)
    for (let line = merge.next(); line; line = merge.next()) {
      copy.add(line)
      if (copy.length < CHUNK_BYTES) continue
      copy.flush()
      yield out.bytes.subarray(0, out.length)
      out.length = 0
    }
    copy.finish()
    if (out.length > 0) yield out.bytes.subarray(0, out.length)
  }

  /** Their entries in the same order. A second merge, because all of them can be more than the memory holds. */
  *#entries(segments: readonly Segment[]): Generator<Buffer> {
    const merge = new Merge(this.#folder, segments, this.#pool)
    const { out } = this.#pool
    out.length = 0
    for (let line = merge.next(); line; line = merge.next()) {
      out.copy(line.entry, 0, ENTRY_BYTES)
      if (out.length < CHUNK_BYTES) continue
      yield out.bytes.subarray(0, out.length)
      out.length = 0
    }
    if (out.length > 0) yield out.bytes.subarray(0, out.length)
  }
}

/** What an object has for a seal task, by day. Code `mismatch` if its index is not as it was written. */
export async function runDays(
  store: Store,
  { index }: RunObject,
  sealTask: number,
  tasks: number,
): Promise<DayRun[]> {
  const runs = JSON.parse((await loadPiece(store, index)).toString('utf8')) as DayRun[]
  return runs.filter(({ day }) => sealTaskOf(day, tasks) === sealTask)
}

/** Segments by day, the days in order. */
export function groupByDay(segments: readonly Segment[]): Array<[number, Segment[]]> {
  return [...groupedBy(segments, ({ day }) => day)].sort(([a], [b]) => a - b)
}
