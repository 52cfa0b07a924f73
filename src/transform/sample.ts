import { readRecords } from '../inputs/read.ts'
import { ClockGaps, type ForeignClock } from '../mapping/clock-gaps.ts'
import { IdleRules } from '../mapping/idle-rules.ts'
import type { RecordCounts } from '../record/counts.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { MIB } from '../units.ts'
import type { Engine } from './engine.ts'
import { type EventSink, ExplodingSink, type NoEvent } from './exploding-sink.ts'
import type { Job } from './job.ts'

/** Records, or children of them, that are tried before anything is written. */
const SAMPLE_RECORDS = 10_000
/** Bytes read for the sample at most: when records are long, fewer of them are tried. */
const SAMPLE_BYTES = 64 * MIB

/** A record and what it became, for `--dry-run`. */
export interface Pair {
  readonly record: string
  readonly event: string
}

/** Records refused for one reason: how many, and the first of them. */
export interface Refused {
  count: number
  readonly message: string
  /** Null when the record was too long to be held. */
  readonly record: string | null
}

/** What the first records of the input became. */
export interface Sample {
  readonly read: number
  /** True when the input has no more records than these. */
  readonly whole: boolean
  readonly rejected: number
  /** The records themselves, where one becomes several events. */
  readonly records: RecordCounts | null
  readonly reasons: ReadonlyMap<string, Refused>
  readonly pairs: readonly Pair[]
  readonly notes: Notes
  /** Set when the records' times are not UTC. */
  readonly foreignClock: ForeignClock | undefined
  /** Rules of the mapping file that matched nothing. */
  readonly idleRules: readonly string[]
}

/** Maps the first records of the input in memory; keeps the first `wantedPairs` events. Throws when stopped. */
export async function takeSample(
  job: Job,
  { mapper, joiner, exploder, forgotten }: Engine,
  stop: AbortSignal,
  wantedPairs: number,
): Promise<Sample> {
  const reasons = new Map<string, Refused>()
  const pairs: Pair[] = []
  const gaps = new ClockGaps()
  const rules = new IdleRules(job.mapping)
  let [read, rejected] = [0, 0]
  let bytesRead = 0
  const enough = new AbortController()
  const progress = (bytes: number) => {
    bytesRead += bytes
    if (bytesRead > SAMPLE_BYTES) enough.abort()
  }
  const count = (reason: string, message: string, record: () => string | null): NoEvent => {
    if (forgotten?.isNamedIn(record() ?? '')) return 'filtered'
    rejected++
    const known = reasons.get(reason)
    if (known) known.count++
    else reasons.set(reason, { count: 1, message, record: record() })
    return 'rejected'
  }
  const seeOne = (): boolean => {
    if (read === SAMPLE_RECORDS) enough.abort()
    return read < SAMPLE_RECORDS && ++read > 0
  }
  const sink: EventSink = {
    line(bytes, start, end) {
      if (!seeOne()) return 'filtered'
      const joined = joiner?.join(bytes, start, end)
      const whole = joined ?? bytes
      const [from, to] = joined ? [0, joined.length] : [start, end]
      rules.see(whole, from, to)
      mapper.out.length = 0
      const mapped = mapper.map(whole, from, to)
      if (mapped.status === 'rejected') {
        return count(mapped.reason, mapped.message, () => bytes.toString('utf8', start, end))
      }
      if (mapped.status !== 'event') return mapped.status
      const gap = mapper.clockGap(mapped.instant)
      if (gap !== undefined) gaps.add(gap)
      if (pairs.length < wantedPairs) {
        const event = mapper.out.bytes.toString('utf8', 0, mapper.out.length)
        pairs.push({ record: bytes.toString('utf8', start, end), event })
      }
      return 'event'
    },
    tooLong() {
      if (seeOne()) count('line_too_long', 'a line is longer than can be read', () => null)
    },
    reject({ reason, message, record }) {
      return seeOne() ? count(reason, message, () => record) : 'filtered'
    },
    unusable: (what) => countOne(mapper.notes.unusable, what),
    leaveOut: seeOne,
    isFull: () => read === SAMPLE_RECORDS,
  }
  const exploding = exploder && new ExplodingSink(exploder, sink)
  for (const input of job.inputs) {
    if (enough.signal.aborted) break
    await readRecords(input, exploding ?? sink, {
      columns: job.columns,
      withTable: job.withTable,
      progress,
      stop: AbortSignal.any([enough.signal, stop]),
    })
    stop.throwIfAborted()
  }
  // These records are mapped again.
  mapper.takeInventory()
  joiner?.takeCounts()
  return {
    read,
    whole: !enough.signal.aborted,
    rejected,
    records: exploding?.records ?? null,
    reasons,
    pairs,
    notes: mapper.takeNotes(),
    foreignClock: gaps.foreign(),
    // Without any record nothing is known of the rules.
    idleRules: read > 0 ? rules.idle : [],
  }
}
