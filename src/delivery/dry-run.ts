import type { Batch, Envelope } from './batch.ts'
import { Batcher, type BatchLimits } from './batcher.ts'
import { ID_BURST } from './distinct-id.ts'
import { type InputSource, Intake, readInput } from './intake.ts'
import { Lanes } from './lanes.ts'
import type { LineReader } from './line-reader.ts'
import { MIXED_DAYS } from './notices.ts'
import { DeliveryTally } from './outcome.ts'
import { burstOf, type Pace } from './pacer.ts'
import { START } from './place.ts'
import { leastSendMs, RequestTurns } from './request-turns.ts'
import type { Via } from './route.ts'
import { unfitForV1 } from './v1-request.ts'

interface DryRunOptions {
  readonly source: InputSource
  readonly reader: LineReader
  readonly limits: BatchLimits
  readonly pace: Pace
  readonly maxEvents: number
  /** The route that the import would take. */
  readonly via: Via
  /** Events from this instant on (microseconds) are counted as young. */
  readonly youngFrom: number
  readonly interrupted: AbortSignal
  /** How long the service takes to answer, in milliseconds; undefined where nobody has measured it. */
  readonly answerMs?: number | undefined
}

/** What an import of the whole input would do. */
export type Plan = Readonly<Awaited<ReturnType<typeof dryRun>>>

/** That of a request, without what only a real one has. */
const DRY_ENVELOPE: Envelope = { prefix: Buffer.from('{"batch":['), suffix: Buffer.from(']}') }

/** Reads the whole input as an import would, and only counts what would be sent: no request, no key, no state. */
export async function dryRun(options: DryRunOptions) {
  const { source, reader, limits, pace, maxEvents, via, youngFrom, interrupted } = options
  const tally = new DeliveryTally()
  let [batches, bodyBytes] = [0, 0]
  const count = (batch: Batch): void => {
    const unfit = via === 'v1' ? unfitForV1(batch) : []
    tally.take(batch, unfit)
    if (batch.events > unfit.length) {
      batches++
      turns.request(batch.lane, batch.epoch)
      bodyBytes += batch.bodyBytes
    }
    batcher.recycle(batch)
  }
  const most = { ...limits, events: Math.min(limits.events, burstOf(pace)), ofId: ID_BURST }
  const batcher: Batcher = new Batcher(
    { lanes: pace.lanes, limits: most, envelope: DRY_ENVELOPE, youngFrom },
    count,
  )
  const turns = new RequestTurns(pace.lanes, most)
  const places = new Array(pace.lanes).fill(START)
  const intake: Intake = new Intake({ reader, batcher, places, take: () => intake.granted < maxEvents })
  // The batcher hands its batches to `count`, not to these lanes: they are empty, and reading never waits.
  await readInput({ source, intake, batcher, lanes: new Lanes(pace.lanes, interrupted), halt: interrupted })
  if (intake.tail) tally.reject(intake.tail.reject.reason)
  const { delivered: events, rejected, filtered } = tally
  const read = source.events ?? intake.read
  const pending = read - rejected - filtered
  const { reasons, filters, young, notes } = tally
  return {
    /** Of a dataset `read` and `pending` are of the whole, though the volume cap would stop the import before its end. */
    counts: { read, written: 0, rejected, filtered, duplicate: 0, pending },
    /** Events that would be sent. */
    events,
    via,
    batches,
    /** The days of the input are mixed, which makes small batches. */
    mixedDays: batcher.daysBack >= MIXED_DAYS,
    /** Of all request bodies, before gzip. */
    bodyBytes,
    /** Requests that follow one another. */
    turns: turns.total,
    answerMs: options.answerMs,
    /** The least time. */
    leastMs: leastSendMs(pace, { events, turns: turns.total, answerMs: options.answerMs }),
    /** The volume cap would stop the import before the end of the input. */
    capped: intake.capped,
    reasons,
    /** Records left out on purpose, by reason. */
    filters,
    young,
    notes,
  }
}
