import { PosthaulError } from '../../errors.ts'
import { MOST_TASKS, nearest, STAGES, type Stage } from '../../text/index.ts'

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
