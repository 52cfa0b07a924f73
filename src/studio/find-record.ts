import { AsRead, type ByteProgress, type InputFile, type RecordSink, readRecords } from '../inputs/index.ts'
import type { Engine } from '../pipeline/engine.ts'
import { RecordLoop, type RecordVisitor } from '../pipeline/loop.ts'
import { type Refusal, tooLongRefusal } from '../record/index.ts'
import type { Job } from '../transform/index.ts'
import type { Match, Matcher } from './sought.ts'

/** A record and where it is. */
export interface FoundRecord {
  readonly input: InputFile
  /** Of its line, row or element, as `readRecords` tells it. */
  readonly number: number
  /** Undefined when it was too long to be held. */
  readonly record: Buffer | undefined
  /** The record as its file has it, where column types made others of its cells. */
  readonly row: string | undefined
  /** Why its reader made no line of it. */
  readonly refusal: Refusal | undefined
  /** The child that was looked for, where the record becomes several events. */
  readonly child: number | undefined
  readonly match: Match | undefined
}

/** What reading the input came to. */
export interface Search {
  readonly found: FoundRecord | undefined
  /** Records that were read. */
  readonly read: number
  /** Number of the last one. */
  readonly last: number
}

export interface SearchOptions {
  readonly job: Pick<Job, 'columns' | 'withTable'>
  readonly inputs: readonly InputFile[]
  readonly progress: ByteProgress
  /** Throws its reason. */
  readonly stop: AbortSignal
}

/**
 * The record whose number is `line`, or the first with a higher one; the first of all for 0. It maps nothing: a record is
 * found by its number too where a reader or the rules refuse it.
 */
export async function findByNumber(line: number, options: SearchOptions): Promise<Search> {
  const { job, inputs, progress, stop } = options
  const { columns, withTable } = job
  const asRead = new AsRead()
  const enough = new AbortController()
  let found: FoundRecord | undefined
  let [read, last] = [0, 0]
  for (const input of inputs) {
    if (found) break
    const see = (number: number, place: () => Pick<FoundRecord, 'record' | 'refusal'>) => {
      if (found) return
      read++
      last = number
      if (number < line) return
      const row = asRead.row?.().toString()
      found = { input, number, row, ...place(), child: undefined, match: undefined }
      enough.abort()
    }
    const sink: RecordSink = {
      line: (bytes, start, end, _offset, number) =>
        see(number, () => ({ record: Buffer.from(bytes.subarray(start, end)), refusal: undefined })),
      tooLong: (_offset, length, number) =>
        see(number, () => ({ record: undefined, refusal: tooLongRefusal(length) })),
      reject: ({ line, reason, message, record }) =>
        see(line, () => ({
          record: record === null ? undefined : Buffer.from(record),
          refusal: { reason, message },
        })),
      unusable() {},
    }
    const ends = AbortSignal.any([enough.signal, stop])
    await readRecords(input, sink, { asRead, columns, withTable, progress, stop: ends })
    stop.throwIfAborted()
  }
  return { found, read, last }
}

/** The first record that matches. What its reader refused is passed over. */
export async function findByMatch(matcher: Matcher, engine: Engine, options: SearchOptions): Promise<Search> {
  let found: FoundRecord | undefined
  const loop = new RecordLoop(engine, {
    isFull: () => found !== undefined,
    take(outcome, { input, whole, line: number, row, child, source }) {
      const match = matcher.match(outcome, source)
      if (!match) return
      const record = whole.copy()
      const place = { input: input!, number, row: row?.().toString(), child }
      found = { ...place, record, refusal: undefined, match }
    },
  })
  await readAll(loop, options)
  return { found, read: loop.records.read, last: loop.item.line }
}

/** Hands the visitor every record, or child of one, that comes before a record. */
export async function readBefore(
  { input, number }: FoundRecord,
  engine: Engine,
  visitor: RecordVisitor,
  options: SearchOptions,
): Promise<void> {
  const loop = new RecordLoop(engine, {
    isFull: (item) => item.input === input && item.line >= number,
    take: (outcome, item) => visitor.take(outcome, item),
  })
  await readAll(loop, options)
}

async function readAll(loop: RecordLoop, { job, inputs, progress, stop }: SearchOptions): Promise<void> {
  await loop.read(inputs, { columns: job.columns, withTable: job.withTable, progress, stop })
}
