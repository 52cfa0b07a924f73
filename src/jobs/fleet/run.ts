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
import { MOST_TASKS, nearest, STAGES, type Stage } from '../../text/index.ts'
import { HASH_KEY } from '../../transform/index.ts'
import { workHome } from '../import-state/state-place.ts'

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

/** Where schedulers say which task of an array this is, counted from 0. Slurm's arrays have offsets, so its job file gives --index. */
const VARIABLES = ['JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX']

/** The index that the scheduler says. Code `usage` where none does. */
export function indexOf(env: Readonly<Record<string, string | undefined>>): number {
  const variable = VARIABLES.find((name) => env[name] !== undefined)
  if (variable === undefined) {
    throw new PosthaulError('which task to run is not said', {
      code: 'usage',
      hint: `add --index 0, or run it by a scheduler that sets ${VARIABLES.join(' or ')}`,
    })
  }
  const text = env[variable]!
  const index = Number(text)
  if (/^\d+$/.test(text) && index < MOST_TASKS) return index
  throw new PosthaulError(`${variable} is ${JSON.stringify(text)}, and no index of a task`, { code: 'usage' })
}

export function stageOf(asked: string | undefined): Stage {
  const stage = STAGES.find((one) => one === asked)
  if (stage) return stage
  const guess = asked === undefined ? undefined : nearest(asked, STAGES)
  throw new PosthaulError(asked === undefined ? 'no stage was named' : `${asked} is no stage of a fleet`, {
    code: 'usage',
    hint: guess === undefined ? `name one: ${STAGES.join(', ')}` : `did you mean ${guess}?`,
  })
}
