import { parentPort, workerData } from 'node:worker_threads'
import { PosthaulError } from '../errors.ts'
import type { Job } from './job.ts'
import { type Task, TaskRunner } from './task.ts'

/** What a worker tells the pool. Errors cross threads as plain data. */
export type WorkerMessage =
  | { readonly type: 'progress'; readonly bytes: number }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: WorkerFailure }

export interface WorkerFailure {
  readonly message: string
  readonly stack: string | undefined
  readonly details: Pick<PosthaulError, 'code' | 'fate' | 'hint'> | undefined
}

const port = parentPort!
const runner = new TaskRunner(workerData as Job, (bytes) => post({ type: 'progress', bytes }))

port.on('message', (task: Task) => {
  runner.run(task).then(
    (result) => post({ type: 'done', result }),
    (error: unknown) => post({ type: 'failed', error: describe(error) }),
  )
})

function post(message: WorkerMessage): void {
  port.postMessage(message)
}

function describe(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, details: undefined }
  const { message, stack } = error
  if (!(error instanceof PosthaulError)) return { message, stack, details: undefined }
  return { message, stack, details: { code: error.code, fate: error.fate, hint: error.hint } }
}
