import { PosthaulError } from '../errors.ts'
import { zeroCounts } from '../record/counts.ts'
import { emptyInventory, InventorySum } from '../record/inventory.ts'
import { addCounts, addNotes, emptyNotes } from '../record/notes.ts'
import { sharesOf } from './generate.ts'
import type { Job, UnitResult } from './job.ts'
import { Journal } from './journal.ts'
import { interruptedError, type Pool } from './pool.ts'
import type { TransformOptions, TransformResult } from './result.ts'
import type { Segment } from './run/frame.ts'
import type { Sample } from './sample.ts'
import type { SealedDay } from './seal/day.ts'
import { finishDataset } from './seal/finish.ts'
import { pieceName, seenFiles, type Task } from './task.ts'

/** Days that a worker seals at the same time: while one waits for the disk, another goes on. */
const DAYS_AT_ONCE = 2
/** A day with this many events is sealed alone: the tables of two would take too much memory. */
const LARGE_DAY = 1 << 18

/** How a run reports its progress. */
export interface TransformReport {
  stage(name: 'mapping' | 'sealing', totalBytes: number): void
  progress(bytes: number): void
}

/**
 * Maps, generates and seals a job's input into its dataset, going on from what an earlier run finished. A job without
 * a work folder is a dry run: everything is mapped and counted, nothing is kept. The pool is closed at the end.
 */
export async function transform(
  job: Job,
  pool: Pool,
  options: TransformOptions,
  report: TransformReport,
): Promise<TransformResult> {
  const journal = job.work === undefined ? undefined : new Journal(job.work)
  const run = new Run(journal, pool, options.interrupted, (bytes) => report.progress(bytes))
  try {
    pool.begin(job)
    report.stage(
      'mapping',
      job.units.reduce((sum, unit) => sum + unit.bytes, 0),
    )
    const units = await run.all<UnitResult>(
      job.units.map((_, unit) => ({ type: 'map', unit })),
      { each: (result) => run.tally(result) },
    )
    if (!journal) return run.result([], undefined)
    await options.look()
    const shares = sharesOf(seenFiles(job, journal.folder))
    const generated = await run.all<Segment[]>(
      Array.from({ length: shares }, (_, share) => ({ type: 'generate', share, shares })),
    )
    const segments = [...units.flatMap((unit) => unit.segments), ...generated.flat()]
    await options.look()
    report.stage(
      'sealing',
      segments.reduce((sum, segment) => sum + segment.bytes, 0),
    )
    const sealed = await run.seal(groupByDay(segments))
    const result = run.result(sealed, undefined)
    await options.look()
    await finishDataset(job, journal.folder, units, sealed, result, options)
    await pool.close()
    journal.remove()
    return result
  } catch (error) {
    if (error instanceof PosthaulError) return run.result([], error)
    throw error
  } finally {
    // The dataset's lease is released next: no worker may still be writing.
    await pool.close()
  }
}

/**
 * Tries the first records of a job's input, on a thread of the pool, which keeps what it compiled for the mapping. Code
 * `interrupted` when the signal is aborted.
 */
export async function sample(job: Job, pool: Pool, pairs: number, interrupted: AbortSignal): Promise<Sample> {
  pool.begin(job)
  let taken: Sample | undefined
  await pool.run([{ type: 'sample', pairs }], 1, interrupted, {
    progress() {},
    done(_, result) {
      taken = result as Sample
    },
  })
  return taken!
}

/** An empty sample, for a run that failed before it had one. */
export function noSample(): Sample {
  return {
    read: 0,
    whole: false,
    rejected: 0,
    reasons: new Map(),
    pairs: [],
    notes: emptyNotes(),
    foreignClock: undefined,
    idleRules: [],
  }
}

/** The result of a transform that ended at its sample: nothing was written. */
export function stoppedAt({ read, rejected, reasons, notes }: Sample, error: PosthaulError): TransformResult {
  const counts = { ...zeroCounts(), read, rejected, pending: read - rejected, generated: 0 }
  const rejects = Object.fromEntries([...reasons].map(([reason, { count }]) => [reason, count]))
  return { counts, rejects, filtered: {}, notes, inventory: emptyInventory(), days: 0, parts: 0, error }
}

class Run {
  readonly #journal: Journal | undefined
  readonly #pool: Pool
  readonly #interrupted: AbortSignal
  readonly #progress: (bytes: number) => void
  readonly #units: UnitResult[] = []
  readonly #inventory = new InventorySum()

  constructor(
    journal: Journal | undefined,
    pool: Pool,
    interrupted: AbortSignal,
    progress: (bytes: number) => void,
  ) {
    this.#journal = journal
    this.#pool = pool
    this.#interrupted = interrupted
    this.#progress = progress
  }

  /** Counts a unit, and returns it without its inventory: those of many units would take much memory. */
  tally(unit: UnitResult): UnitResult {
    this.#inventory.add(unit.inventory)
    const counted = { ...unit, inventory: emptyInventory() }
    this.#units.push(counted)
    return counted
  }

  /** The results of all tasks, in their order, from the journal or done now: what `each` gives for each, once. */
  async all<T>(
    tasks: readonly Task[],
    { each = (result) => result, atOnce = 1 }: { each?: (result: T) => T; atOnce?: number } = {},
  ): Promise<T[]> {
    if (this.#interrupted.aborted) throw interruptedError()
    const results = new Map<Task, T>()
    const open: Task[] = []
    for (const task of tasks) {
      const known = this.#journal?.result<T>(pieceName(task))
      if (known === undefined) open.push(task)
      else results.set(task, each(known))
    }
    await this.#pool.run(open, atOnce, this.#interrupted, {
      progress: this.#progress,
      done(task, result) {
        results.set(task, each(result as T))
      },
    })
    return tasks.map((task) => results.get(task)!)
  }

  /** Seals days, the large ones first; the results are in the order of the days. */
  async seal(
    days: ReadonlyArray<readonly [number, readonly Segment[]]>,
  ): Promise<Array<SealedDay & { day: number }>> {
    const tasks = days.map(([day, segments]): Task & { type: 'seal' } => ({ type: 'seal', day, segments }))
    const isLarge = ({ segments }: Task & { type: 'seal' }) =>
      segments.reduce((sum, { events }) => sum + events, 0) > LARGE_DAY
    const [large, small] = [tasks.filter(isLarge), tasks.filter((task) => !isLarge(task))]
    const sealed = [
      ...(await this.all<SealedDay>(large)),
      ...(await this.all<SealedDay>(small, { atOnce: DAYS_AT_ONCE })),
    ]
    return [...large, ...small]
      .map(({ day }, index) => ({ day, ...sealed[index]! }))
      .sort((a, b) => a.day - b.day)
  }

  result(days: readonly SealedDay[], error: PosthaulError | undefined): TransformResult {
    const counts = { ...zeroCounts(), generated: 0 }
    const rejects: Record<string, number> = Object.create(null)
    const filtered: Record<string, number> = Object.create(null)
    const notes = emptyNotes()
    let mapped = 0
    for (const unit of this.#units) {
      counts.read += unit.read
      mapped += unit.mapped
      addCounts(rejects, unit.rejects)
      addCounts(filtered, unit.filtered)
      addNotes(notes, unit.notes)
    }
    counts.rejected = sum(rejects)
    counts.filtered = sum(filtered)
    for (const day of days) {
      counts.written += day.written
      counts.duplicate += day.duplicate
      counts.generated += day.generated
    }
    // Mapped but not in the dataset: all of it after a dry run or an interruption, nothing at the end.
    counts.pending = mapped - counts.written - counts.duplicate
    const parts = days.reduce((total, day) => total + day.parts.length, 0)
    return {
      counts,
      rejects: byName(rejects),
      filtered: byName(filtered),
      notes: {
        ...notes,
        big_integers: byName(notes.big_integers),
        ignored_members: byName(notes.ignored_members),
        unusable: byName(notes.unusable),
      },
      inventory: this.#inventory.take(),
      days: days.length,
      parts,
      error,
    }
  }
}

function groupByDay(segments: readonly Segment[]): Array<[number, Segment[]]> {
  const days = new Map<number, Segment[]>()
  for (const segment of segments) {
    const day = days.get(segment.day)
    if (day) day.push(segment)
    else days.set(segment.day, [segment])
  }
  return [...days].sort(([a], [b]) => a - b)
}

/** Sorted, since units finish in any order: a dataset made twice is the same to the byte, its manifest too. */
function byName(tally: Readonly<Record<string, number>>): Record<string, number> {
  const sorted: Record<string, number> = Object.create(null)
  for (const name of Object.keys(tally).sort()) sorted[name] = tally[name]!
  return sorted
}

function sum(tally: Readonly<Record<string, number>>): number {
  return Object.values(tally).reduce((total, count) => total + count, 0)
}
