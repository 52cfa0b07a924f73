import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import { PosthaulError } from '../errors.ts'
import { errnoOf } from '../store/file-error.ts'
import type { Job } from './job.ts'
import { Journal } from './journal.ts'
import { type DoPieces, type PieceOptions, pieceName, type Task } from './task.ts'
import type { TaskRunner } from './task-runner.ts'
import type { WorkerFailure, WorkerMessage, WorkerOrder } from './worker.ts'

/**
 * Records are in buffers, and what a worker allocates is soon garbage: a small young generation is as fast as the
 * default of 48 MB, and all workers together take 80 MB less. The bound on the old one is far above what a worker needs:
 * below 2 GB the collector lets garbage grow to twice what is alive, not to four times.
 */
const RESOURCES = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 1536 }

/** How long a thread may take to end its reading. */
const GRACE_MS = 5_000

/** Runs one task. Rejects with code `interrupted` once `stop` is aborted. */
type Lane = (task: Task, stop: AbortSignal, progress: (bytes: number) => void) => Promise<unknown>

/** Runs tasks on worker threads, or all of them on this one: a thread takes longer to start than a small input to transform. */
export class Pool {
  readonly #workers: Worker[] = []
  readonly #lanes: readonly Lane[]
  readonly #ending = new AbortController()
  #here: Promise<TaskRunner> | undefined
  /** The tasks on this thread: none may write on when the pool is closed. */
  readonly #running = new Set<Promise<unknown>>()
  readonly #failures = new Map<Worker, Error>()

  /** The threads load in the background: make the pool before there is work for it. `size`: 0 for this thread alone. */
  constructor(size: number) {
    const url = new URL('./worker.js', import.meta.url)
    try {
      while (this.#workers.length < size) this.#workers.push(this.#start(url))
    } catch (error) {
      void this.close()
      throw error
    }
    const onThreads = this.#workers.map(
      (worker): Lane =>
        (...task) =>
          this.#one(worker, ...task),
    )
    this.#lanes = size === 0 ? [(...task) => this.#onThis(...task)] : onThreads
  }

  /** Tells the workers the job of all tasks. */
  begin({ inputs: _inputs, units: _units, ...job }: Job): void {
    if (this.#workers.length === 0) {
      const journal = job.work === undefined ? undefined : new Journal(job.work)
      this.#here = import('./task-runner.ts').then(
        (it) => new it.TaskRunner(job, this.#ending.signal, journal),
      )
      // Where it can't be loaded, the first task says so.
      this.#here.catch(() => undefined)
    }
    const message: WorkerOrder = { type: 'begin', job }
    for (const worker of this.#workers) worker.postMessage(message)
  }

  /** What does pieces on the threads, and rejects with code `interrupted` once `stop` is aborted. */
  pieces(stop: AbortSignal, progress: (bytes: number) => void = () => {}): DoPieces {
    return async <T>(tasks: Iterable<Task>, { each = (one) => one, atOnce = 1 }: PieceOptions<T> = {}) => {
      if (stop.aborted) throw interruptedError()
      // Every task under way listens to it: many listeners are no leak.
      setMaxListeners(0, stop)
      const results: T[] = []
      const queue = tasks[Symbol.iterator]()
      let count = 0
      const lanes = Array.from({ length: atOnce }, () => this.#lanes).flat()
      await Promise.all(
        lanes.map(async (lane) => {
          for (let next = queue.next(); !next.done; next = queue.next()) {
            const number = count++
            results[number] = each((await lane(next.value, stop, progress)) as T, number)
          }
        }),
      )
      return results
    }
  }

  /** Ends the workers after they have closed their inputs. An unfinished piece has no result and is done again. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#workers.map((worker) => this.#end(worker)))
    await Promise.allSettled(this.#running)
    await (await this.#here)?.reading
  }

  async #onThis(...[task, stop, progress]: Parameters<Lane>): Promise<unknown> {
    const runner = await this.#here!
    return new Promise((resolve, reject) => {
      const onStop = () => reject(interruptedError())
      if (stop.aborted) return onStop()
      stop.addEventListener('abort', onStop)
      const running = runner.run(task, progress).finally(() => {
        stop.removeEventListener('abort', onStop)
        this.#running.delete(running)
      })
      this.#running.add(running)
      running.then(resolve, reject)
    })
  }

  async #end(worker: Worker): Promise<void> {
    // A worker that failed has ended.
    if (this.#failures.has(worker)) return
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, GRACE_MS)
      const free = () => {
        clearTimeout(late)
        resolve()
      }
      worker.on('message', (message: WorkerMessage) => message.type === 'free' && free())
      worker.on('error', free).on('exit', free)
      worker.postMessage({ type: 'stop' } satisfies WorkerOrder)
    })
    await worker.terminate()
  }

  /** A worker can fail before it has a task: the failure is kept for its first task. */
  #start(url: URL): Worker {
    const worker = new Worker(url, { resourceLimits: RESOURCES })
    const fail = (error: Error) => {
      if (!this.#failures.has(worker)) this.#failures.set(worker, notLoaded(error))
    }
    return worker.on('error', fail).on('exit', () => fail(endedEarly()))
  }

  #one(worker: Worker, task: Task, stop: AbortSignal, progress: (bytes: number) => void): Promise<unknown> {
    const failure = this.#failures.get(worker)
    if (failure) return Promise.reject(failure)
    const piece = pieceName(task)
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        stop.removeEventListener('abort', onStop)
        act()
      }
      const onMessage = (message: WorkerMessage) => {
        if (message.type === 'free' || message.piece !== piece) return
        if (message.type === 'progress') progress(message.bytes)
        else if (message.type === 'done') settle(() => resolve(message.result))
        else settle(() => reject(revive(message.error)))
      }
      const onError = (error: Error) => settle(() => reject(notLoaded(error)))
      const onExit = () => settle(() => reject(endedEarly()))
      const onStop = () => settle(() => reject(interruptedError()))
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      stop.addEventListener('abort', onStop)
      if (stop.aborted) onStop()
      else worker.postMessage(task satisfies WorkerOrder)
    })
  }
}

/**
 * A thread opens the files of its program all at once: where a process may open few, that fails. Node has the code only in its
 * words where the thread itself could not begin.
 */
function notLoaded(error: Error): Error {
  const code = errnoOf(error)
  if (code !== 'EMFILE' && code !== 'ENFILE' && !/: E[MN]FILE$/.test(error.message)) return error
  return new PosthaulError('a worker thread could not start: too many files are open', {
    code: 'input',
    hint: 'raise the limit (ulimit -n 1024), or give --workers 1',
    cause: error,
  })
}

function endedEarly(): Error {
  return new Error('a worker ended without a result')
}

/** `meaning`: what is kept of the work, or is not. */
export function interruptedError(meaning?: string): PosthaulError {
  return new PosthaulError(meaning === undefined ? 'interrupted' : `interrupted; ${meaning}`, {
    code: 'interrupted',
  })
}

function revive({ message, stack, details }: WorkerFailure): Error {
  if (!details) return Object.assign(new Error(message), { stack })
  const { code, fate, hint } = details
  return new PosthaulError(message, { code, fate, ...(hint !== undefined && { hint }) })
}
