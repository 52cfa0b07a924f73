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
import type { SplitShare, Transformed, TransformRunOptions } from './result.ts'
import { SegmentTable } from './run/segment-table.ts'
import { type Sample, type SampleOrder, sampleReading } from './sample.ts'
import type { SealedDay } from './seal/day.ts'
import { finishDataset } from './seal/finish.ts'
import { keptInJournal } from './seal/journal-lines.ts'
import { type SealedWhole, type SplitTools, splitBytes, splitPeople } from './split/split-people.ts'
import type { Task } from './task.ts'
import { Tally } from './transform-tally.ts'
import type { WrittenFile } from './work-file.ts'

/** Days that a worker seals at the same time: while one waits for the disk, another goes on. */
const DAYS_AT_ONCE = 2
/** A day with this many events is sealed alone: the tables of two would take too much memory. */
const LARGE_DAY = 1 << 18

/** How a run reports its progress. */
export interface TransformReport {
  stage(name: 'mapping' | 'sealing' | 'dividing', totalBytes: number): void
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
    const units = await run.map()
    await assertUnchanged(job.inputs)
    if (!journal) return run.tally.result(job, [], undefined)
    await options.look()
    const generated = await run.generate(units.map(({ seenFile }) => seenFile))
    await options.look()
    report.stage('sealing', run.segments.bytes)
    const sealed = await run.seal()
    const result = run.tally.result(job, sealed, undefined)
    await options.look()
    const made = {
      days: sealed,
      names: run.tally.names.take(),
      ...keptInJournal(job, journal, { units, generated, days: sealed }),
    }
    const { split: order } = job
    if (!order) await finishDataset(job, made, result, options)
    else report.stage('dividing', splitBytes(sealed))
    const split = order && (await run.divide({ ...made, job: { ...job, split: order }, result }, options))
    await pool.close()
    journal.remove()
    return split ? { ...result, parts: split.reduce((sum, { parts }) => sum + parts, 0), split } : result
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
  /** Of all units, then of all shares of generated events. */
  readonly segments = new SegmentTable()

  constructor(job: Job, pool: Pool, interrupted: AbortSignal, progress: (bytes: number) => void) {
    this.#job = job
    this.#pool = pool
    this.#interrupted = interrupted
    this.#progress = progress
  }

  /** Maps all units. */
  map(): Promise<UnitResult[]> {
    const { units } = this.#job
    const tasks = mapped(units.keys(), (unit): Task => ({ type: 'map', ...unitOrder(this.#job, unit) }))
    return this.all<UnitResult>(tasks, { each: (result, unit) => this.#count(result, unit) })
  }

  /** Counts a unit, and returns it without its names and segments: those of many units would take much memory. */
  #count(unit: UnitResult, number: number): UnitResult {
    this.tally.addUnits(unit)
    this.segments.add(number, unit.segments)
    return { ...unit, segments: [], rejects: {}, notes: emptyNotes(), inventory: emptyInventory() }
  }

  /** The same for a day, whose lines of arrival.ndjson stay in the journal. */
  #countDay(day: SealedDay): SealedDay {
    this.tally.addNames(day)
    return { ...day, names: {}, arrival: [] }
  }

  /** The results of all tasks, in their order: what `each` gives for each and its number, once. */
  async all<T>(
    tasks: Iterable<Task>,
    {
      each = (result) => result,
      atOnce = 1,
    }: { each?: (result: T, number: number) => T; atOnce?: number } = {},
  ): Promise<T[]> {
    if (this.#interrupted.aborted) throw interruptedError()
    const results: T[] = []
    /** The tasks under way. */
    const numbers = new Map<Task, number>()
    let count = 0
    const numbered = mapped(tasks, (task) => {
      numbers.set(task, count++)
      return task
    })
    await this.#pool.run(numbered, atOnce, this.#interrupted, {
      progress: this.#progress,
      done(task, result) {
        const number = numbers.get(task)!
        numbers.delete(task)
        results[number] = each(result as T, number)
      },
    })
    return results
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
      {
        each: (made, share) => {
          this.segments.add(this.#job.units.length + share, made.segments)
          return { ...made, segments: [] }
        },
      },
    )
  }

  /** Divides sealed days among datasets by people. */
  divide(whole: SealedWhole, options: TransformRunOptions): Promise<SplitShare[]> {
    const journal = new Journal(this.#job.work!)
    const all: SplitTools['all'] = (tasks, how) => this.all(tasks, how)
    return splitPeople(whole, { journal, options, all, progress: this.#progress })
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
      ...(await this.all<SealedDay>(tasksOf(large), { each })),
      ...(await this.all<SealedDay>(tasksOf(small), { each, atOnce: DAYS_AT_ONCE })),
    ]
    return [...large, ...small]
      .map((day, index) => ({ day, ...sealed[index]! }))
      .sort((a, b) => a.day - b.day)
  }
}

/** Made one by one, as they are asked for: those of thousands of days would be held all along. */
function* mapped<T, Made>(all: Iterable<T>, make: (one: T) => Made): Generator<Made> {
  for (const one of all) yield make(one)
}
