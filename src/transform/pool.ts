import { Worker } from 'node:worker_threads'
import { PosthaulError } from '../errors.ts'
import type { Job } from './job.ts'
import { pieceName, type Task } from './task.ts'
import type { WorkerFailure, WorkerMessage, WorkerOrder } from './worker.ts'

/**
 * Records live in buffers and what a worker allocates dies at once: a small young generation is as fast as the default
 * of 48 MB, and all together take 80 MB less.
 */
const RESOURCES = { maxYoungGenerationSizeMb: 4 }

/** Who is told how tasks get on. */
export interface Hearing {
  progress(bytes: number): void
  done(task: Task, result: unknown): void
}

/** Runs tasks on worker threads. */
export class Pool {
  readonly #workers: Worker[]

  /** The threads get ready on their own: best begun before there is anything to do. */
  constructor(size: number) {
    const url = new URL('./worker.js', import.meta.url)
    this.#workers = Array.from({ length: size }, () => new Worker(url, { resourceLimits: RESOURCES }))
  }

  /** Makes the job known that all tasks are of. */
  begin(job: Job): void {
    const message: WorkerOrder = { type: 'begin', job }
    for (const worker of this.#workers) worker.postMessage(message)
  }

  /**
   * Does all tasks, `atOnce` on each thread. Rejects with the first failure, or when `stop` is aborted.
   */
  async run(tasks: readonly Task[], atOnce: number, stop: AbortSignal, hear: Hearing): Promise<void> {
    const queue = [...tasks]
    const lanes = Array.from({ length: atOnce }, () => this.#workers).flat()
    await Promise.all(
      lanes.map(async (worker) => {
        for (let task = queue.shift(); task; task = queue.shift()) {
          hear.done(task, await this.#one(worker, task, stop, hear))
        }
      }),
    )
  }

  /** Ends the workers where they stand; what they were at has left no result and is done again. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  #one(worker: Worker, task: Task, stop: AbortSignal, { progress }: Hearing): Promise<unknown> {
    const piece = pieceName(task)
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        stop.removeEventListener('abort', onStop)
        act()
      }
      const onMessage = (message: WorkerMessage) => {
        if (message.piece !== piece) return
        if (message.type === 'progress') progress(message.bytes)
        else if (message.type === 'done') settle(() => resolve(message.result))
        else settle(() => reject(revive(message.error)))
      }
      const onError = (error: Error) => settle(() => reject(error))
      const onExit = () => settle(() => reject(new Error('a worker ended without a result')))
      const onStop = () => settle(() => reject(interruptedError()))
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      stop.addEventListener('abort', onStop)
      if (stop.aborted) onStop()
      else worker.postMessage(task satisfies WorkerOrder)
    })
  }
}

/** The error of a transform that a signal ended. */
export function interruptedError(): PosthaulError {
  return new PosthaulError('interrupted; what is finished is kept', { code: 'interrupted' })
}

function revive({ message, stack, details }: WorkerFailure): Error {
  if (!details) return Object.assign(new Error(message), { stack })
  const { code, fate, hint } = details
  return new PosthaulError(message, { code, fate, ...(hint !== undefined && { hint }) })
}
