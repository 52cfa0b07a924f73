import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Mapper } from '../mapping/mapper.ts'
import { loadPreset } from '../mapping/presets/index.ts'
import { fileError } from '../store/file-error.ts'
import { openStore } from '../store/open.ts'
import { VERSION } from '../version.ts'
import { generateShare } from './generate.ts'
import type { Job } from './job.ts'
import { Journal } from './journal.ts'
import { mapUnit } from './map.ts'
import { BufferPool } from './run/buffer-pool.ts'
import type { Segment } from './run/frame.ts'
import { takeSample } from './sample.ts'
import { type SealedDay, sealDay } from './seal/day.ts'
import { pieceName, seenFiles, type Task } from './task.ts'

/** Does the pieces of one job, and notes each finished one in the journal. A dry run has no journal. */
export class TaskRunner {
  /** Settles when the input under way is closed. */
  reading: Promise<unknown> = Promise.resolve()
  readonly #job: Job
  readonly #stop: AbortSignal
  #mapper: Mapper | undefined
  /** Memory of days that are sealed, for the next ones. */
  readonly #pools: BufferPool[] = []

  /** `stop` ends the reading of an input in the middle. */
  constructor(job: Job, stop: AbortSignal) {
    this.#job = job
    this.#stop = stop
  }

  /** Only `seal` tasks may run at the same time. Code `unavailable` when the disk is full. */
  async run(task: Task, progress: (bytes: number) => void): Promise<unknown> {
    try {
      return await this.#run(task, progress)
    } catch (error) {
      // Inputs and the store report their own errors; any other is of the work folder.
      throw this.#job.work === undefined ? error : fileError(error, 'write', this.#job.work)
    }
  }

  async #run(task: Task, progress: (bytes: number) => void): Promise<unknown> {
    const { work } = this.#job
    if (task.type === 'sample') {
      const mapper = await this.#openMapper()
      return this.#read(() => takeSample(this.#job, mapper, this.#stop, task.pairs))
    }
    if (task.type === 'map') {
      const mapper = await this.#openMapper()
      const result = await this.#read(() => mapUnit(this.#job, task.unit, mapper, this.#stop, progress))
      if (work !== undefined) new Journal(work).finish(pieceName(task), result)
      return result
    }
    // Frees the mapper's buffers, which are needed no more.
    this.#mapper = undefined
    if (work === undefined) throw new Error('a dry run has nothing to seal')
    const result =
      task.type === 'generate' ? await this.#generate(work, task) : await this.#seal(work, task, progress)
    new Journal(work).finish(pieceName(task), result)
    if (task.type === 'seal') dropRuns(work, task.segments)
    return result
  }

  #read<T>(read: () => Promise<T>): Promise<T> {
    const reading = read()
    this.reading = reading.catch(() => undefined)
    return reading
  }

  async #openMapper(): Promise<Mapper> {
    const { preset, mapping, now, switches, groupEventName, importId } = this.#job
    this.#mapper ??= new Mapper(await loadPreset(preset), mapping, {
      now,
      version: VERSION,
      switches: new Set(switches),
      groupEventName,
      importId,
    })
    return this.#mapper
  }

  async #generate(work: string, { share, shares }: Task & { type: 'generate' }): Promise<readonly Segment[]> {
    const { groupEventName, importId, preset } = this.#job
    const { vendor } = await loadPreset(preset)
    const options = { vendor, version: VERSION, groupEventName, importId }
    return generateShare(seenFiles(this.#job, work), share, shares, work, options)
  }

  async #seal(
    work: string,
    { day, segments }: Task & { type: 'seal' },
    progress: (bytes: number) => void,
  ): Promise<SealedDay> {
    const store = await openStore(this.#job.out)
    const { gzip } = this.#job
    const pool = this.#pools.pop() ?? new BufferPool()
    const sealed = await sealDay(day, segments, { folder: work, store, gzip, pool })
    this.#pools.push(pool)
    progress(segments.reduce((sum, segment) => sum + segment.bytes, 0))
    return sealed
  }
}

/**
 * Removes the run files of a sealed day that hold no other day: nothing reads them any more. At once, so that a
 * transform takes little more disk than its dataset, and the system reuses the pages for the next part.
 */
function dropRuns(work: string, segments: readonly Segment[]): void {
  for (const { alone, file } of segments) if (alone) rmSync(join(work, file), { force: true })
}
