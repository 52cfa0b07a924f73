import { RecordLoop } from '../pipeline/loop.ts'
import { formatInstant } from '../record/time.ts'
import { groupedBy } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import type { AppliedMapping } from './applied-mapping.ts'
import type { SampleOutcome } from './model/mapped-sample.ts'
import type { BuiltModel } from './model/studio-model.ts'
import type { Asked } from './server/requests.ts'
import { MOST_ROWS, type SampleRecord } from './studio-sample.ts'
import type { Trace } from './trace.ts'
import { TwinsBefore, withCells } from './twins-before.ts'

/** A longer record is not traced: its draft is made once for each of its members that a function reads. */
const MOST_TRACED_BYTES = MIB
const SHOWN_CHARACTERS = 100_000
/** In place of a reject's reason: the record itself may be mapped. */
const TOO_LONG = 'too_long_to_show'

type Applied = Pick<AppliedMapping, 'job' | 'engine' | 'tracer' | 'sample'>
type RecordQuery = Asked<'records'>

/** The first records of a sample that fit, and how many do. `made`: what a mapping made of them. */
export function listRecords(
  { records }: Pick<Applied['sample'], 'records'>,
  { made }: Pick<BuiltModel, 'made'>,
  query: RecordQuery,
) {
  // In the order of the sample.
  const fitting = [...groupedBy(made, ({ record }) => record)].filter(
    ([number, ones]) => ones.some((one) => fits(one, query)) && holds(records[number]!, query.text),
  )
  return {
    total: fitting.length,
    records: fitting.slice(0, MOST_ROWS).map(([number, ones]) => rowOf(number, ones, query)),
  }
}

/** A record of a sample, traced. Undefined for a number that no record has. */
export function recordOf(applied: Applied, number: number) {
  const { sample, tracer, job } = applied
  const record = sample.records[number]
  if (!record) return undefined
  const { file, line, bytes } = record
  const refused =
    record.refused ?? (bytes.length > MOST_TRACED_BYTES ? tooLong(bytes.toString('utf8')) : null)
  const shown = refused && { ...refused, record: refused.record?.slice(0, SHOWN_CHARACTERS) ?? null }
  const trace = shown ? null : toldApart(tracer.trace(bytes), number, applied)
  return { number, file, line, trace: trace && withCells(trace, record.row, job.columns), refused: shown }
}

/** Of the sample's records: those between them, which were not read, may be twins too. */
function toldApart(trace: Trace, number: number, { sample, engine }: Applied): Trace {
  const twins = new TwinsBefore(trace)
  if (!twins.areAsked) return trace
  const loop = new RecordLoop(engine, twins)
  for (const { bytes, refused } of sample.records.slice(0, number)) if (!refused) loop.give(bytes)
  // What is counted is of the whole sample.
  engine.takeCounts()
  return twins.toldApart()
}

function fits({ source, outcome, reason }: SampleOutcome, query: RecordQuery): boolean {
  return (
    (query.event === undefined || source === query.event) &&
    (query.outcome === undefined || outcome === query.outcome) &&
    (query.reason === undefined || reason === query.reason)
  )
}

function holds({ bytes, row, refused }: SampleRecord, text: string | undefined): boolean {
  if (text === undefined || text === '') return true
  return refused
    ? (refused.record?.includes(text) ?? false)
    : bytes.includes(text) || (row?.includes(text) ?? false)
}

/** Of several events the first that fits is shown. */
function rowOf(number: number, made: readonly SampleOutcome[], query: RecordQuery) {
  const shown = made.find((one) => fits(one, query)) ?? made[0]!
  const { outcome, reason, source, event } = shown
  return {
    number,
    outcome,
    reason,
    source,
    name: event?.name ?? null,
    timestamp: event ? formatInstant(event.instant) : null,
    distinctId: event?.distinctId ?? null,
  }
}

function tooLong(record: string) {
  return {
    reason: TOO_LONG,
    message: `the record has ${record.length.toLocaleString('en')} characters: here is how it begins`,
    record,
  }
}
