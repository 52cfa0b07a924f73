import { AsRead } from '../inputs/as-read.ts'
import { readRecords } from '../inputs/read.ts'
import { ClockGaps, type ForeignClock } from '../mapping/clock-gaps.ts'
import { FORGOTTEN } from '../mapping/id-links.ts'
import { IdleRules } from '../mapping/idle-rules.ts'
import type { JoinCounts } from '../pipeline/side/built.ts'
import { mapJoined } from '../pipeline/side/joiner.ts'
import type { RecordCounts } from '../record/counts.ts'
import type { Inventory } from '../record/inventory.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { MIB } from '../text/units.ts'
import type { Engine } from './engine.ts'
import { type EventSink, ExplodingSink, type NoEvent } from './exploding-sink.ts'
import type { Job } from './job.ts'
import { feedSpread, type SpreadOver } from './spread-sample.ts'
import { Twins } from './twins.ts'

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

/** What the first records of the input became, or of records spread over the whole of it. */
export interface Sample {
  readonly read: number
  /** True when the input has no more records than these. */
  readonly whole: boolean
  readonly rejected: number
  /** Bytes of the events that were made. */
  readonly eventBytes: number
  /** By reason. */
  readonly filtered: Readonly<Record<string, number>>
  /** How the records were come by; null for the first ones. */
  readonly spread: SpreadOver | null
  /** The records themselves, where one becomes several events. */
  readonly records: RecordCounts | null
  readonly reasons: ReadonlyMap<string, Refused>
  readonly pairs: readonly Pair[]
  readonly notes: Notes
  readonly inventory: Inventory
  /** By side table. */
  readonly joins: Readonly<Record<string, JoinCounts>>
  /** Set when the records' times are not UTC. */
  readonly foreignClock: ForeignClock | undefined
  /** Rules of the mapping file that matched nothing. */
  readonly idleRules: readonly string[]
}

/** What to try: the first records, or `spread` of them from the whole input; the first `pairs` events are kept. */
export interface SampleOrder {
  readonly pairs: number
  readonly spread?: number | undefined
}

/** Maps records of the input in memory. Throws when stopped. */
export async function takeSample(
  job: Job,
  { mapper, joiner, exploder, forgotten }: Engine,
  stop: AbortSignal,
  { pairs: wantedPairs, spread: wanted }: SampleOrder,
): Promise<Sample> {
  const reasons = new Map<string, Refused>()
  const pairs: Pair[] = []
  const gaps = new ClockGaps()
  const rules = new IdleRules(job.mapping)
  const twins = new Twins()
  const asRead = new AsRead()
  const filtered: Record<string, number> = Object.create(null)
  const most = wanted === undefined ? SAMPLE_RECORDS : Number.POSITIVE_INFINITY
  let [read, rejected] = [0, 0]
  let [bytesRead, eventBytes] = [0, 0]
  const enough = new AbortController()
  const progress = (bytes: number) => {
    bytesRead += bytes
    if (bytesRead > SAMPLE_BYTES) enough.abort()
  }
  const count = (reason: string, message: string, record: () => string | null): NoEvent => {
    if (forgotten?.isNamedIn(record() ?? '')) {
      countOne(filtered, FORGOTTEN)
      return 'filtered'
    }
    rejected++
    const known = reasons.get(reason)
    if (known) known.count++
    else reasons.set(reason, { count: 1, message, record: asRead.row?.().toString() ?? record() })
    return 'rejected'
  }
  const seeOne = (): boolean => {
    if (read === most) enough.abort()
    return read < most && ++read > 0
  }
  // Lines are read that are not tried any more.
  const nulls = { not_finite: 0 }
  const sink: EventSink = {
    line(bytes, start, end, _offset, _line, child) {
      const { not_finite } = nulls
      nulls.not_finite = 0
      if (!seeOne()) return 'filtered'
      mapper.notes.mends.not_finite += not_finite
      const mapped = mapJoined(mapper, joiner, bytes, start, end, rules)
      if (mapped.status === 'rejected') {
        return count(mapped.reason, mapped.message, () => bytes.toString('utf8', start, end))
      }
      if (mapped.status === 'filtered') {
        countOne(filtered, mapped.reason)
        return 'filtered'
      }
      eventBytes += mapped.line.length
      if (!mapped.ownId) twins.tellApart(mapped.line)
      const gap = mapper.clockGap(mapped.instant)
      if (gap !== undefined) gaps.add(gap)
      if (pairs.length < wantedPairs) {
        pairs.push({
          record:
            child === undefined && asRead.row ? asRead.row().toString() : bytes.toString('utf8', start, end),
          event: mapped.text,
        })
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
    leaveOut(reason) {
      if (seeOne()) countOne(filtered, reason)
    },
    isFull: () => read === most,
  }
  const exploding = exploder && new ExplodingSink(exploder, sink)
  const taking = exploding ?? sink
  const spread = wanted === undefined ? null : await feedSpread(job, taking, { wanted, asRead, stop })
  for (const input of spread ? [] : job.inputs) {
    if (enough.signal.aborted) break
    await readRecords(input, taking, {
      columns: job.columns,
      withTable: job.withTable,
      asRead,
      mends: nulls,
      progress,
      stop: AbortSignal.any([enough.signal, stop]),
    })
    stop.throwIfAborted()
  }
  return {
    read,
    whole: spread?.whole ?? !enough.signal.aborted,
    rejected,
    eventBytes,
    filtered,
    spread,
    records: exploding?.records ?? null,
    reasons,
    pairs,
    notes: mapper.takeNotes(),
    // The counts are taken in any case: the first records are mapped again.
    inventory: mapper.takeInventory(),
    joins: joiner?.takeCounts() ?? {},
    foreignClock: gaps.foreign(),
    // Without any record nothing is known of the rules.
    idleRules: read > 0 ? rules.idle : [],
  }
}
