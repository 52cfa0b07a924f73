import { PosthaulError } from '../errors.ts'
import { copiesOf } from '../inputs/copies.ts'
import { assertUnchanged } from '../pipeline/inputs-unchanged.ts'
import { dayText } from '../record/time.ts'
import { fileError, inMidRun } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import { sum } from '../text/lists.ts'
import { partsOf } from './after/earlier.ts'
import { type Generated, generateAll } from './generate.ts'
import { type Job, type UnitResult, unitOrder } from './job.ts'
import { forgetLostDays, Journal } from './journal.ts'
import { NO_DUPLICATES } from './outcome-count.ts'
import type { Pool } from './pool.ts'
import { userRepeats } from './repeats.ts'
import { SegmentTable } from './run/frame.ts'
import { type Sample, type SampleOrder, sampleReading } from './sample.ts'
import type { SealedDay } from './seal/day.ts'
import { assertConserved, finishDataset, keptInJournal } from './seal/finish.ts'
import type { DoPieces, Task } from './task.ts'
import { Tally, type Transformed, type TransformRunOptions } from './transform-tally.ts'
import { makeTrial, trialBytes } from './trial/make-trial.ts'
import type { WrittenFile } from './work-file.ts'

/** Days that a worker seals at the same time: while one waits for the disk, another goes on. */
const DAYS_AT_ONCE = 2
/** A day with this many events is sealed alone: the tables of two would take too much memory. */
const LARGE_DAY = 1 << 18

/**
 * Maps, generates and seals a job's input into its dataset, going on from what an earlier run finished. A job without
 * a work folder is a dry run: everything is mapped and counted, nothing is kept. The pool is closed at the end.
 */
export async function transformInputs(
  job: Job,
  pool: Pool,
  options: TransformRunOptions,
  report: {
    stage(name: 'mapping' | 'sealing' | 'choosing', totalBytes: number): void
    progress(bytes: number): void
  },
): Promise<Transformed> {
  const journal = job.work === undefined ? undefined : new Journal(job.work)
  const doPieces = pool.pieces(options.interrupted, (bytes) => report.progress(bytes))
  const run = new Run(job, doPieces)
  try {
    if (journal) await forgetLostDays(journal, await openStore(job.out))
    pool.begin(job)
    report.stage(
      'mapping',
      sum(job.units, (unit) => unit.bytes),
    )
    const units = await run.map()
    await assertUnchanged(job.inputs)
    if (!journal) {
      const counted = run.tally.result(job, [], undefined)
      return {
        ...counted,
        twins: null,
        late: null,
        error: options.stands?.({ repeats: userRepeats(job, counted) }),
      }
    }
    const unmatched = options.isPart || job.trial ? undefined : run.tally.unmatched(job)
    const refused = options.stands?.({ unmatched })
    if (refused) throw refused
    await options.look()
    const generated = await run.generate(units.map(({ seenFile }) => seenFile))
    await options.look()
    report.stage('sealing', run.segments.bytes)
    const sealed = await run.seal()
    const result = run.tally.result(job, sealed, undefined)
    assertConserved(result)
    const files = result.twins === 0 ? [] : await copiesOf(job.inputs)
    const copies = { twins: result.twins ?? 0, files }
    const repeated = options.stands?.({ repeats: userRepeats(job, result), copies })
    // The days stay in the journal: once it is accepted, the same command goes on from here.
    if (repeated)
      return { ...run.tally.result(job, [], repeated), duplicates: result.duplicates, twins: result.twins }
    await options.look()
    const made = {
      days: sealed,
      names: run.tally.names.take(),
      ...keptInJournal(job, journal, { units, generated, days: sealed }),
    }
    let ended = result
    if (job.trial) {
      report.stage('choosing', trialBytes(sealed))
      const tools = { journal, options, doPieces, progress: (bytes: number) => report.progress(bytes) }
      ended = await makeTrial({ ...made, job, result }, job.trial, tools)
    } else
      await finishDataset(
        job,
        { ...made, outcomes: run.tally.outcomes.take(eventDays(sealed)) },
        result,
        options,
      )
    await pool.close()
    journal.remove()
    return ended
  } catch (caught) {
    const error = inMidRun(fileError(caught, 'write', job.work ?? job.out))
    if (error instanceof PosthaulError) return run.tally.result(job, [], error)
    throw error
  } finally {
    // The dataset's lease is released next: no worker may still be writing.
    await pool.close()
  }
}

/**
 * Tries records of a job's input, on a thread of the pool, which keeps what it compiled for the mapping. Code
 * `interrupted` when the signal is aborted.
 */
export async function sample(
  job: Job,
  pool: Pool,
  order: SampleOrder,
  interrupted: AbortSignal,
): Promise<Sample> {
  pool.begin(job)
  const [taken] = await pool.pieces(interrupted)<Sample>([{ type: 'sample', ...sampleReading(job, order) }])
  return taken!
}

class Run {
  readonly #job: Job
  readonly #doPieces: DoPieces
  readonly tally = new Tally()
  /** Of all units, then of all shares of generated events. */
  readonly segments = new SegmentTable()

  constructor(job: Job, doPieces: DoPieces) {
    this.#job = job
    this.#doPieces = doPieces
  }

  map(): Promise<UnitResult[]> {
    const { units } = this.#job
    const tasks = mapped(units.keys(), (unit): Task => ({ type: 'map', ...unitOrder(this.#job, unit) }))
    return this.#doPieces<UnitResult>(tasks, { each: (result, unit) => this.#count(result, unit) })
  }

  /** Counts a unit, and returns it without its segments, too: those of many units would take much memory. */
  #count(unit: UnitResult, number: number): UnitResult {
    this.segments.add(number, unit.segments)
    return { ...this.tally.take(unit), segments: [] }
  }

  /** The same for a day, whose lines of arrival.ndjson stay in the journal. */
  #countDay(day: SealedDay): SealedDay {
    this.tally.addDay(day)
    return { ...day, names: {}, arrival: [], dropped: undefined, duplicates: NO_DUPLICATES }
  }

  /** Makes the events that only all units show. */
  generate(seen: readonly WrittenFile[]): Promise<Generated[]> {
    const each = (made: Generated, share: number) => {
      this.segments.add(this.#job.units.length + share, made.segments)
      return { ...made, segments: [] }
    }
    return generateAll(this.#doPieces, this.#job, seen, { each })
  }

  /** Seals days, the large ones first; the results are in the order of the days. */
  async seal(): Promise<Array<SealedDay & { day: number }>> {
    const { segments } = this
    const knownOf = (day: number) => partsOf(this.#job.after, day)
    const tasksOf = (days: readonly number[]) =>
      mapped(days, (day): Task => ({ type: 'seal', day, segments: segments.of(day), known: knownOf(day) }))
    const isLarge = (day: number) =>
      knownOf(day).reduce((sum, { part }) => sum + part.events, segments.eventsOf(day)) > LARGE_DAY
    const each = (day: SealedDay) => this.#countDay(day)
    const { days } = segments
    const [large, small] = [days.filter(isLarge), days.filter((day) => !isLarge(day))]
    const sealed = [
      ...(await this.#doPieces<SealedDay>(tasksOf(large), { each })),
      ...(await this.#doPieces<SealedDay>(tasksOf(small), { each, atOnce: DAYS_AT_ONCE })),
    ]
    return [...large, ...small]
      .map((day, index) => ({ day, ...sealed[index]! }))
      .sort((a, b) => a.day - b.day)
  }
}

function eventDays(sealed: ReadonlyArray<SealedDay & { day: number }>) {
  return sealed.map(({ day, written, generated, duplicate, earlier }) => {
    return { day: dayText(day), written: written + generated, duplicate, earlier }
  })
}

/** Made one by one, as they are asked for: those of thousands of days would be held all along. */
function* mapped<T, Made>(all: Iterable<T>, make: (one: T) => Made): Generator<Made> {
  for (const one of all) yield make(one)
}
