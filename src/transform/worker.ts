import { parentPort } from 'node:worker_threads'
import { PosthaulError } from '../errors.ts'
import type { WorkerJob } from './job.ts'
import { Journal } from './journal.ts'
import { pieceName, type Task } from './task.ts'
import { TaskRunner } from './task-runner.ts'

/** What the pool tells a worker: first the job, then pieces of it. */
export type WorkerOrder =
  | { readonly type: 'begin'; readonly job: WorkerJob }
  | { readonly type: 'stop' }
  | Task

/**
 * What a worker tells the pool: the result of a task, or that its inputs are closed and it may be ended. Errors cross
 * threads as plain data.
 */
export type WorkerMessage =
  | ({ readonly piece: string } & (
      | { readonly type: 'progress'; readonly bytes: number }
      | { readonly type: 'done'; readonly result: unknown }
      | { readonly type: 'failed'; readonly error: WorkerFailure }
    ))
  | { readonly type: 'free' }

export interface WorkerFailure {
  readonly message: string
  readonly stack: string | undefined
  readonly details: Pick<PosthaulError, 'code' | 'fate' | 'hint'> | undefined
}

const port = parentPort!
const stop = new AbortController()
let runner: TaskRunner | undefined

port.on('message', (order: WorkerOrder) => {
  if (order.type === 'stop') end()
  else if (order.type === 'begin') runner = runnerOf(order.job)
  else if (runner) work(runner, order)
  else throw new Error('a worker was given a task before its job')
})

function runnerOf(job: WorkerJob): TaskRunner {
  return new TaskRunner(job, stop.signal, job.work === undefined ? undefined : new Journal(job.work))
}

/** Waits for the readers to end: some hold temporary files, and one is native code that must not be killed. */
function end(): void {
  stop.abort()
  void (runner?.reading ?? Promise.resolve()).then(() => post({ type: 'free' }))
}

function work(runner: TaskRunner, task: Task): void {
  const piece = pieceName(task)
  const progress = (bytes: number) => post({ type: 'progress', piece, bytes })
  runner.run(task, progress).then(
    (result) => post({ type: 'done', piece, result }),
    (error: unknown) => post({ type: 'failed', piece, error: describe(error) }),
  )
}

function post(message: WorkerMessage): void {
  port.postMessage(message)
}

function describe(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, details: undefined }
  const { message, stack } = error
  if (!(error instanceof PosthaulError)) return { message, stack, details: undefined }
  return { message, stack, details: { code: error.code, fate: error.fate, hint: error.hint } }
}
