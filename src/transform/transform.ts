import { PosthaulError } from '../errors.ts'
import { assertUnchanged } from '../pipeline/inputs-unchanged.ts'
import { emptyInventory } from '../record/inventory.ts'
import { emptyNotes } from '../record/notes.ts'
import { fileError, inMidRun } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import { partsOf } from './after/earlier.ts'
import { forgetLostDays } from './finished-piece.ts'
import { type GatheredFile, groupsOf } from './gather.ts'
import { type Generated, sharesOf } from './generate.ts'
import { type Job, type UnitResult, unitOrder } from './job.ts'
import { Journal } from './journal.ts'
import { interruptedError, type Pool } from './pool.ts'
import type { Transformed, TransformRunOptions } from './result.ts'
import { groupByDay } from './run/by-day.ts'
import type { Segment } from './run/frame.ts'
import { type Sample, type SampleOrder, sampleReading } from './sample.ts'
import type { SealedDay } from './seal/day.ts'
import { finishDataset } from './seal/finish.ts'
import { keptInJournal } from './seal/journal-lines.ts'
import type { Task } from './task.ts'
import { Tally } from './transform-tally.ts'
import type { WrittenFile } from './work-file.ts'

/** Days that a worker seals at the same time: while one waits for the disk, another goes on. */
const DAYS_AT_ONCE = 2
/** A day with this many events is sealed alone: the tables of two would take too much memory. */
const LARGE_DAY = 1 << 18

type SealTask = Task & { type: 'seal' }

/** How a run reports its progress. */
export interface TransformReport {
  stage(name: 'mapping' | 'sealing', totalBytes: number): void
  progress(bytes: number): void
}

/**
 * Maps, generates and seals a job's input into its dataset, going on from what an earlier run finished. A job without
 * a work folder is a dry run: everything is mapped and counted, nothing is kept. The pool is closed at the end.
 */
export async function transformInputs(
  job: Job,
  pool: Pool,
  options: TransformRunOptions,
  report: TransformReport,
): Promise<Transformed> {
  const journal = job.work === undefined ? undefined : new Journal(job.work)
  const run = new Run(job, pool, options.interrupted, (bytes) => report.progress(bytes))
  try {
    if (journal) await forgetLostDays(journal, await openStore(job.out))
    pool.begin(job)
    report.stage(
      'mapping',
      job.units.reduce((sum, unit) => sum + unit.bytes, 0),
    )
    const units = await run.all<UnitResult>(
      job.units.map((_, unit) => ({ type: 'map', ...unitOrder(job, unit) })),
      { each: (result) => run.count(result) },
    )
    await assertUnchanged(job.inputs)
    if (!journal) return run.tally.result(job, [], undefined)
    await options.look()
    const generated = await run.generate(units.map(({ seenFile }) => seenFile))
    const segments = [...units, ...generated].flatMap((made) => made.segments)
    await options.look()
    report.stage(
      'sealing',
      segments.reduce((sum, segment) => sum + segment.bytes, 0),
    )
    const sealed = await run.seal(groupByDay(segments))
    const result = run.tally.result(job, sealed, undefined)
    await options.look()
    const made = {
      days: sealed,
      names: run.tally.names.take(),
      ...keptInJournal(job, journal, { units, generated, days: sealed }),
    }
    await finishDataset(job, made, result, options)
    await pool.close()
    journal.remove()
    return result
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
  let taken: Sample | undefined
  await pool.run([{ type: 'sample', ...sampleReading(job, order) }], 1, interrupted, {
    progress() {},
    done(_, result) {
      taken = result as Sample
    },
  })
  return taken!
}

class Run {
  readonly #job: Job
  readonly #pool: Pool
  readonly #interrupted: AbortSignal
  readonly #progress: (bytes: number) => void
  readonly tally = new Tally()

  constructor(job: Job, pool: Pool, interrupted: AbortSignal, progress: (bytes: number) => void) {
    this.#job = job
    this.#pool = pool
    this.#interrupted = interrupted
    this.#progress = progress
  }

  /** Counts a unit, and returns it without its names: those of many units would take much memory. */
  count(unit: UnitResult): UnitResult {
    this.tally.addUnits(unit)
    return { ...unit, rejects: {}, notes: emptyNotes(), inventory: emptyInventory() }
  }

  /** The same for a day, whose lines of arrival.ndjson stay in the journal. */
  #countDay(day: SealedDay): SealedDay {
    this.tally.addNames(day)
    return { ...day, names: {}, arrival: [] }
  }

  /** The results of all tasks, in their order: what `each` gives for each, once. */
  async all<T>(
    tasks: readonly Task[],
    { each = (result) => result, atOnce = 1 }: { each?: (result: T) => T; atOnce?: number } = {},
  ): Promise<T[]> {
    if (this.#interrupted.aborted) throw interruptedError()
    const results = new Map<Task, T>()
    await this.#pool.run(tasks, atOnce, this.#interrupted, {
      progress: this.#progress,
      done(task, result) {
        results.set(task, each(result as T))
      },
    })
    return tasks.map((task) => results.get(task)!)
  }

  /** Turns observations into events, all but those that earlier datasets have. */
  async generate(seen: readonly WrittenFile[]): Promise<Generated[]> {
    const isLinked = this.#job.after.some(({ links }) => links)
    const carried = isLinked ? await this.all<WrittenFile>([{ type: 'carry', seen }]) : []
    const all = [...carried, ...seen]
    const shares = sharesOf(all)
    const groups = groupsOf(all)
    const gathered = await this.all<GatheredFile[]>(
      groups.map((group, index) => ({ type: 'gather', group: index, shares, seen: group })),
    )
    const files = gathered.flat()
    return this.all<Generated>(
      Array.from({ length: shares }, (_, share) => ({ type: 'generate', share, shares, gathered: files })),
    )
  }

  /** Seals days, the large ones first; the results are in the order of the days. */
  async seal(
    days: ReadonlyArray<readonly [number, readonly Segment[]]>,
  ): Promise<Array<SealedDay & { day: number }>> {
    const tasks = days.map(([day, segments]): SealTask => {
      return { type: 'seal', day, segments, known: partsOf(this.#job.after, day) }
    })
    const isLarge = ({ segments, known }: SealTask) =>
      [...segments, ...known.map(({ part }) => part)].reduce((sum, { events }) => sum + events, 0) > LARGE_DAY
    const each = (day: SealedDay) => this.#countDay(day)
    const [large, small] = [tasks.filter(isLarge), tasks.filter((task) => !isLarge(task))]
    const sealed = [
      ...(await this.all<SealedDay>(large, { each })),
      ...(await this.all<SealedDay>(small, { each, atOnce: DAYS_AT_ONCE })),
    ]
    return [...large, ...small]
      .map(({ day }, index) => ({ day, ...sealed[index]! }))
      .sort((a, b) => a.day - b.day)
  }
}
