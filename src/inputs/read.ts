import { PosthaulError } from '../errors.ts'
import { type ColumnMapping, NO_COLUMNS } from '../mapping/columns.ts'
import { HEADERLESS } from '../presets/recognise.ts'
import { LineFramer, type LineSink } from '../record/lines.ts'
import type { Mends } from '../record/mend.ts'
import { openStore } from '../store/open.ts'
import type { ByteRange } from '../store/store.ts'
import { rowLinesSink } from './compact-rows.ts'
import type { InputFile, InputFormat } from './input-file.ts'
import { BrokenJson, JsonSplitter } from './json-splitter.ts'
import { type ByteProgress, openBytes, openLines } from './open-bytes.ts'
import {
  type AsRead,
  EncodingSink,
  PythonJsonSink,
  type RecordSink,
  RejectsSink,
  TableSink,
} from './record-sink.ts'

export interface RecordReadOptions {
  /** Where the cells of tables go; other formats ignore it. */
  readonly columns?: ColumnMapping
  /** True to write the table's name into each record: see mapping/side-table.ts. */
  readonly withTable?: boolean
  /** The bytes of a file to read, if it `isSplittable`. A range owns the lines that start in it. */
  readonly range?: ByteRange | undefined
  /** The longest record, in bytes; longer ones are reported as too long. */
  readonly maxLineBytes?: number
  /** Tells the sink, during `line`, how the file has the record. */
  readonly asRead?: AsRead
  /** Called with the bytes of the file, as it is on disk, read since the last call. */
  readonly progress?: ByteProgress
  /** Counts what is read otherwise than it is written: see PythonJsonSink. */
  readonly mends?: Pick<Mends, 'not_finite'>
  /** Ends the reading early, between two pieces of the file. */
  readonly stop?: AbortSignal
}

type Reader = (input: InputFile, sink: RecordSink, options: RecordReadOptions) => Promise<number>

/** Thrown through a reader to stop it: without an error it would take what it has for the whole file. */
const STOPPED = new Error('stopped')

const READERS: Readonly<Record<InputFormat, Reader>> = {
  ndjson: readLines,
  json: readJson,
  csv: readRows,
  tsv: readRows,
  parquet: readParquetRows,
  avro: readAvroRecords,
}

/** True for files that several workers can read, each a byte range. */
export function isSplittable(input: InputFile): boolean {
  const isLines = input.format === 'ndjson' || input.headerless !== undefined
  const isUtf8 = (input.encoding ?? 'utf-8') === 'utf-8'
  return isLines && isUtf8 && input.compression === 'none' && input.member === undefined
}

/**
 * Reads an input's records into `sink`, each as one line of JSON, in flat memory. Offsets are of the unpacked text in UTF-8;
 * numbers are lines (in a range, counted from its first), for JSON files elements, for tables the line a row begins on.
 * Code `input` when the file cannot be read to its end; a sink that throws stops the reading with its error.
 * Resolves to the line ends read of NDJSON: the numbers of the next range's lines start after these.
 */
export async function readRecords(
  input: InputFile,
  sink: RecordSink,
  options: RecordReadOptions = {},
): Promise<number> {
  try {
    return await READERS[input.format](input, sinkFor(input, sink, options), options)
  } catch (error) {
    if (error === STOPPED) return 0
    throw error
  }
}

/** Formats with numbers that JSON doesn't have: their readers write them as Python's JSON does. */
const WITH_NAN: ReadonlySet<InputFormat> = new Set(['parquet', 'avro'])

function sinkFor(
  { format, rejects, table, json, encoding = 'utf-8' }: InputFile,
  sink: RecordSink,
  { withTable, columns, asRead, mends = { not_finite: 0 } }: RecordReadOptions,
): RecordSink {
  const isJson = json === undefined && !WITH_NAN.has(format)
  const records = isJson ? sink : new PythonJsonSink(sink, mends)
  const sound = encoding === 'utf-8' ? records : new EncodingSink(records, encoding, asRead)
  if (rejects) return new RejectsSink(sound, { encoding, columns, asRead })
  return withTable && table !== undefined ? new TableSink(sound, table, asRead) : sound
}

async function readLines(input: InputFile, sink: LineSink, options: RecordReadOptions): Promise<number> {
  const { range, progress, maxLineBytes } = options
  const { offset, bytes } = range
    ? await openLines(input, range, progress)
    : { offset: 0, bytes: openBytes(input, progress) }
  const framer = new LineFramer(sink, maxLineBytes, { offset, number: 1 })
  for await (const chunk of untilStopped(bytes, options)) framer.push(chunk)
  framer.end()
  return framer.next.number - 1
}

async function readJson(input: InputFile, sink: RecordSink, options: RecordReadOptions): Promise<number> {
  if (input.rows) return readLines(input, rowLinesSink(sink, options.columns?.names, input.path), options)
  const splitter = new JsonSplitter(sink, options.maxLineBytes)
  try {
    for await (const chunk of untilStopped(openBytes(input, options.progress), options)) splitter.push(chunk)
    splitter.end()
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error
    throw new PosthaulError(`${input.path} ${error.message} (byte ${error.offset})`, {
      code: 'input',
      hint: 'mend the file, or fetch it again',
      cause: error,
    })
  }
  return 0
}

async function readRows(input: InputFile, sink: RecordSink, options: RecordReadOptions): Promise<number> {
  const header =
    options.columns?.header ?? HEADERLESS.find(({ preset }) => preset === input.headerless)?.columns
  if (header && options.columns?.escapes === undefined) {
    const { headerlessSink } = await import('./csv-reader.ts')
    return readLines(input, headerlessSink(sink, header, input.path, options), options)
  }
  const bytes = untilStopped(openBytes(input, options.progress), options)
  // Loaded only for tables: the parser is the largest of the readers, and most inputs are no tables.
  const { readTable } = await import('./csv-reader.ts')
  const columns = { ...(options.columns ?? NO_COLUMNS), ...(header && { names: header }) }
  const table = header ? { ...input, delimiter: '\t' } : input
  await readTable(table, bytes, sink, { ...options, columns })
  return 0
}

async function readParquetRows(
  input: InputFile,
  sink: RecordSink,
  options: RecordReadOptions,
): Promise<number> {
  // Loaded only for Parquet: the reader is a database.
  const { readParquet } = await import('./parquet.ts')
  await readParquet(input, sink, options)
  if (options.stop?.aborted) throw STOPPED
  return 0
}

async function readAvroRecords(
  input: InputFile,
  sink: RecordSink,
  options: RecordReadOptions,
): Promise<number> {
  const bytes = untilStopped(openBytes(input, options.progress), options)
  // Loaded only for Avro, with what unpacks its blocks.
  const { readAvro } = await import('./avro/read-avro.ts')
  try {
    await readAvro(input, bytes, sink, options.maxLineBytes)
  } finally {
    await bytes.return(undefined)
  }
  return 0
}

async function* untilStopped(
  bytes: AsyncIterable<Buffer>,
  { stop }: RecordReadOptions,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    if (stop?.aborted) throw STOPPED
    yield chunk
  }
}

/** True when one of the inputs holds a record, sound or not. Reads no further than the first one. */
export async function holdsRecord(inputs: readonly InputFile[]): Promise<boolean> {
  const found = new AbortController()
  const see = () => found.abort()
  const sink: RecordSink = { line: see, tooLong: see, reject: see, unusable() {} }
  for (const input of inputs) {
    if (input.size > 0) await readRecords(input, sink, { stop: found.signal })
    if (found.signal.aborted) return true
  }
  return false
}

/** True when all places that were asked for are finished exports: one that brought nothing is no mistake in a path. */
export async function areExports(places: readonly string[]): Promise<boolean> {
  // Few inputs are empty, so few runs need to read a manifest here.
  const { findManifest } = await import('../store/dataset.ts')
  const found = await Promise.all(
    places.map(async (place) => findManifest(await openStore(place)).catch(() => undefined)),
  )
  return found.every((one) => one?.manifest.kind === 'raw')
}

/** The error of an input without a single record. `asked`: what the user named. */
export function emptyInput(asked: string): PosthaulError {
  return new PosthaulError(`${asked} holds no records`, {
    code: 'input',
    hint: 'check the path; if it is right, run it again once there are some',
  })
}
