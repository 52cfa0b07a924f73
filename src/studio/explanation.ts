import type { InputFile, InputFormat } from '../inputs/input-file.ts'
import type { Engine } from '../pipeline/engine.ts'
import type { Job } from '../transform/job.ts'
import { type FoundRecord, type Match, readBefore, type SearchOptions } from './find-record.ts'
import type { Trace } from './trace.ts'
import { Tracer } from './tracer.ts'
import { TwinsBefore, withCells } from './twins-before.ts'

type RecordUnit = 'line' | 'element' | 'row'

/** A record, where it is, and what becomes of it. */
export interface Explanation {
  readonly preset: string
  /** The path of the file; with the member's name for one in an archive. */
  readonly file: string
  /** What numbers of records count in it. */
  readonly unit: RecordUnit
  readonly number: number
  readonly trace: Trace
  /** The child that was looked for, where the record becomes several events. */
  readonly child: number | null
  readonly match: Match | null
}

const UNITS: Readonly<Record<InputFormat, RecordUnit>> = {
  ndjson: 'line',
  json: 'element',
  csv: 'line',
  tsv: 'line',
  parquet: 'row',
  avro: 'row',
}

/** Traces a record that was found. One without an id is held against those before it. `options` say how they are read. */
export async function explain(
  job: Job,
  engine: Engine,
  found: FoundRecord,
  options: Omit<SearchOptions, 'inputs'>,
): Promise<Explanation> {
  const { input, number, child, match } = found
  const trace = traceOf(engine, found)
  const twins = new TwinsBefore(trace)
  if (twins.areAsked) {
    // Those of all inputs count, also where one file was named.
    await readBefore(found, engine, twins, { ...options, inputs: job.inputs })
  }
  return {
    preset: job.preset,
    file: fileOf(input),
    unit: UNITS[input.format],
    number,
    trace: withCells(twins.toldApart(), found.row, job.columns),
    child: child ?? null,
    match: match ?? null,
  }
}

/** What messages call an input. */
function fileOf({ path, name, member }: InputFile): string {
  return member ? name : path
}

function traceOf(engine: Engine, { record, refusal }: FoundRecord): Trace {
  if (refusal || record === undefined) {
    const { reason, message } = refusal!
    return {
      record: record?.toString('utf8') ?? '',
      parts: [],
      whole: { outcome: 'rejected', reason, message },
    }
  }
  return new Tracer(engine).trace(record)
}
