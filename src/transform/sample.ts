import { readSpread, type Spread, type SpreadRefused } from '../inputs/spread.ts'
import { evenly } from '../inputs/thinned.ts'
import { ClockGaps } from '../mapping/clock-gaps.ts'
import { IdleRules } from '../mapping/idle-rules.ts'
import type { MappedEvent } from '../mapping/mapped.ts'
import type { Engine } from '../pipeline/engine.ts'
import { RecordLoop } from '../pipeline/loop.ts'
import { countOne } from '../record/notes.ts'
import { dayOf } from '../record/time.ts'
import { MIB } from '../text/units.ts'
import type { Job, WorkerJob } from './job.ts'
import { PreviewCount } from './preview.ts'
import { RepeatCount } from './repeats.ts'
import {
  afterAll,
  ENTRY_WORDS,
  KEY_WORD,
  KIND_WORD,
  KINDS,
  LENGTH_WORD,
  readKindWord,
  readLineKey,
} from './run/frame.ts'
import { Twins } from './seal/dedupe.ts'

/** Records, or children of them, that are tried before anything is written. */
const SAMPLE_RECORDS = 10_000
/** Bytes read for the sample at most: when records are long, fewer of them are tried. */
const SAMPLE_BYTES = 64 * MIB

/** Files that are given for it. Some are empty, so they are more than records. */
const SAMPLE_FILES = 2 * SAMPLE_RECORDS

/** Records refused for one reason: how many, and the first of them. */
export interface Refused {
  count: number
  readonly message: string
  /** Null when the record was too long to be held. */
  readonly record: string | null
}

/** What the first records of the input became, or of records spread over the whole of it. */
export type Sample = Readonly<Awaited<ReturnType<typeof takeSample>>>

/** What to try: the first records, or `spread` of them from the whole input. */
export interface SampleOrder {
  readonly spread?: number | undefined
}

export interface SampleReading extends SampleOrder, Pick<Job, 'inputs'> {
  /** True where the job has more. */
  readonly more: boolean
}

/** The first records are in the first files: only a sample that is spread needs all. */
export function sampleReading({ inputs }: Pick<Job, 'inputs'>, order: SampleOrder): SampleReading {
  const files = order.spread === undefined ? SAMPLE_FILES : inputs.length
  return { ...order, inputs: inputs.slice(0, files), more: inputs.length > files }
}

/** Maps records of the input in memory. Throws when stopped. */
export async function takeSample(
  job: WorkerJob,
  engine: Engine,
  stop: AbortSignal,
  { spread: wanted, inputs, more }: SampleReading,
) {
  const reasons = new Map<string, Refused>()
  const preview = new PreviewCount()
  const gaps = new ClockGaps()
  const rules = new IdleRules(job.mapping)
  const twins = new Twins()
  const repeats = new RepeatCount()
  const entry = new Uint32Array(ENTRY_WORDS)
  const filtered: Record<string, number> = Object.create(null)
  const most = wanted === undefined ? SAMPLE_RECORDS : Number.POSITIVE_INFINITY
  let [read, rejected] = [0, 0]
  let [bytesRead, eventBytes] = [0, 0]
  const loop = new RecordLoop(engine, {
    isFull: () => read === most,
    wants: (bytes, start, end) => {
      rules.see(bytes, start, end)
      return true
    },
    take(outcome, item) {
      preview.see(outcome, item, read++)
      if (outcome.status === 'filtered') countOne(filtered, outcome.reason)
      else if (outcome.status === 'rejected') {
        rejected++
        const { reason, message, record } = outcome
        const known = reasons.get(reason)
        if (known) known.count++
        else reasons.set(reason, { count: 1, message, record: item.row?.().toString() ?? record })
      } else {
        eventBytes += outcome.line.length
        if (!outcome.ownId) twins.tellApart(outcome.line)
        else if (wanted !== undefined) seeRepeat(repeats, outcome, read, entry)
        const gap = engine.mapper.clockGap(outcome.instant)
        if (gap !== undefined) gaps.add(gap)
      }
    },
  })
  const { columns, withTable } = job
  const progress = (bytes: number) => {
    bytesRead += bytes
    if (bytesRead > SAMPLE_BYTES) loop.end()
  }
  const spread = wanted === undefined ? null : await feedSpread({ ...job, inputs }, loop, { wanted, stop })
  if (!spread) await loop.read(inputs, { columns, withTable, progress, stop })
  return {
    read,
    whole: spread?.whole ?? !(more || loop.isEnded),
    rejected,
    /** Of a sample that is spread: events that another of its events makes a duplicate. */
    duplicates: repeats.told,
    eventBytes,
    /** By reason. */
    filtered,
    /** How the records were come by; null for the first ones. */
    spread,
    /** The records themselves, where one becomes several events. */
    records: engine.exploder ? loop.records : null,
    reasons,
    preview: preview.take(),
    // They are taken in any case: the first records are mapped again.
    ...engine.takeCounts(),
    /** Set when the records' times are not UTC. */
    foreignClock: gaps.foreign(),
    /** Rules of the mapping file that matched nothing; without any record nothing is known of them. */
    idleRules: read > 0 ? rules.idle : [],
  }
}

/** Counts an event with an id of its own as a run's index would have it. `entry` is filled anew each time. */
function seeRepeat(
  repeats: RepeatCount,
  { line, instant, givesWay }: MappedEvent,
  read: number,
  entry: Uint32Array,
): void {
  readLineKey(line, 0, entry, KEY_WORD)
  entry[LENGTH_WORD] = line.length
  entry[KIND_WORD] = readKindWord(line, 0, KINDS.own)
  repeats.see(entry, 0, { day: dayOf(instant), instant, seq: givesWay ? afterAll(read) : read })
}

/** A sample that is spread over the whole input, and what was read for it. */
export type SpreadOver = Readonly<Awaited<ReturnType<typeof feedSpread>>>

/** Gives a loop about `wanted` records that are spread over all inputs of a job. Throws when stopped. */
async function feedSpread(
  { inputs, columns, withTable }: Pick<Job, 'inputs' | 'columns' | 'withTable'>,
  loop: RecordLoop,
  { wanted, stop }: { readonly wanted: number; readonly stop: AbortSignal },
) {
  const spread = await readSpread(inputs, { records: wanted, columns, withTable, stop })
  for (const { bytes, offset, number = 0, row } of spread.records) {
    loop.asRead.row = row === undefined ? undefined : () => Buffer.from(row)
    loop.line(bytes, 0, bytes.length, offset, number)
    loop.asRead.row = undefined
  }
  const refused = shareOfRefused(spread)
  for (const { number = 0, ...one } of refused) loop.reject({ ...one, offset: 0, line: number })
  const records = spread.records.length + refused.length
  return {
    records,
    whole: spread.whole && records === spread.read,
    files: spread.files,
    filesRead: spread.filesRead,
    /** Of all inputs, as they are stored. */
    bytes: spread.bytes,
    /** Of these, read: more than the sample's records have. */
    bytesRead: spread.bytesRead,
  }
}

/** As large a share of the refused records as was kept of the others, and one of each reason in any case. */
function shareOfRefused({ records, refused, refusedCount, read }: Spread): SpreadRefused[] {
  const others = read - refusedCount
  const share = others === 0 ? refused.length : Math.ceil((refusedCount * records.length) / others)
  const reasons = new Set(refused.map(({ reason }) => reason))
  const first = refused.filter(({ reason }) => reasons.delete(reason))
  const rest = refused.filter((one) => !first.includes(one))
  return [...first, ...evenly(rest, Math.max(0, share - first.length))]
}
