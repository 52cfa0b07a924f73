import { DRAIN_MS } from '../../drain.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { isLoopback } from '../../http/index.ts'
import type { Io } from '../../io.ts'
import {
  ENDPOINT,
  GROUP_READABLE,
  INDEX,
  OUT,
  readSecret,
  required,
  type Values,
  WORK_DIR,
} from '../../options/index.ts'
import { isS3, makeFolder, parseS3, withEndpoint } from '../../store/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import type { Stage } from '../../text/index.ts'
import { HASH_KEY } from '../../transform/index.ts'
import { workHome } from '../import/state-home.ts'
import { indexOf } from './task-order.ts'

export const TASK_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  INDEX,
  { ...WORK_DIR, help: 'where the task keeps its work files until it is done' },
  GROUP_READABLE,
  ENDPOINT,
] as const

const ENDED = { done: 'is done', known: 'was done before', none: 'has no work: the plan has no such stage' }

export async function runFleetTask(
  values: Values<typeof TASK_ROWS>,
  stage: Stage,
  io: Io,
): Promise<ExitCode> {
  const { endpoint, workDir } = values
  const out = withEndpoint(values.out, endpoint)
  assertNotInPod(out, io.env)
  const index = values.index ?? indexOf(io.env)
  const work = workHome(io.env, workDir)
  await makeFolder(work)
  io.drain.allow(DRAIN_MS)
  const progress = progressFor(io.telemetry)
  const { runTask } = await import('../../transform/fleet/run-task.ts')
  const task = `${stage} ${index}`
  try {
    const ended = await runTask({
      out,
      stage,
      index,
      work,
      interrupted: io.interrupted,
      hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
      begun: (of) => progress.start('mapping', of),
      progress: (bytes) => progress.add(bytes),
    })
    progress.stop()
    io.telemetry.note('fleet', `${task} ${ENDED[ended]}`, 'info')
    return EXIT.done
  } finally {
    progress.stop()
  }
}

/** To a pod of Kubernetes, 127.0.0.1 is the pod itself: no other task would see what this one writes. Code `config`. */
function assertNotInPod(out: string, env: Io['env']): void {
  const endpoint = isS3(out) ? parseS3(out).endpoint : undefined
  if (!env.KUBERNETES_SERVICE_HOST || endpoint === undefined || !isLoopback(new URL(endpoint).hostname))
    return
  throw new PosthaulError(`${endpoint} is this pod alone, and the other tasks can't reach it`, {
    code: 'config',
    hint: 'give --endpoint the address that all pods know, such as http://minio.storage.svc:9000',
  })
}
