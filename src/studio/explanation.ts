import { remedyOf } from '../checks/words/rejects.ts'
import type { InputFormat } from '../inputs/input-file.ts'
import type { Engine } from '../pipeline/engine.ts'
import type { Refusal } from '../record/rules.ts'
import type { Job } from '../transform/job.ts'
import { type FoundRecord, readBefore, type SearchOptions } from './find-record.ts'
import type { Trace } from './trace.ts'
import { Tracer } from './tracer.ts'
import { TwinsBefore, withCells } from './twins-before.ts'

/** A record, where it is, and what becomes of it. */
export type Explanation = Awaited<ReturnType<typeof explain>>

/** What numbers of records count in a file. */
const UNITS: Readonly<Record<InputFormat, 'line' | 'element' | 'row'>> = {
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
) {
  const { input, number, child, match, record, refusal } = found
  const trace = record && !refusal ? new Tracer(engine).trace(record) : noTrace(record, refusal!)
  const twins = new TwinsBefore(trace)
  if (twins.areAsked) {
    // Those of all inputs count, also where one file was named.
    await readBefore(found, engine, twins, { ...options, inputs: job.inputs })
  }
  return {
    preset: job.preset,
    file: input.member ? input.name : input.path,
    unit: UNITS[input.format],
    number,
    trace: withCells(twins.toldApart(), found.row, job.columns),
    /** The child that was looked for, where the record becomes several events. */
    child: child ?? null,
    match: match ?? null,
  }
}

function noTrace(record: Buffer | undefined, { reason, message }: Refusal): Trace {
  const whole = { outcome: 'rejected', reason, message, remedy: remedyOf(reason) } as const
  return { record: record?.toString('utf8') ?? '', parts: [], whole }
}
