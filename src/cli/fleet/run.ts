import type { Command } from 'commander'
import { DRAIN_MS } from '../../drain.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { workHome } from '../../jobs/import/state-home.ts'
import { readSecret } from '../../options/read-secret.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, OUT, WORK_DIR } from '../../options/rows/dataset-rows.ts'
import { INDEX } from '../../options/rows/fleet-rows.ts'
import { GROUP_READABLE } from '../../options/rows/output-rows.ts'
import { makeFolder } from '../../store/make-folder.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { MOST_TASKS, STAGES, type Stage } from '../../text/fleet-stages.ts'
import { nearest } from '../../text/nearest.ts'
import { HASH_KEY } from '../../transform/hash-key.ts'
import { useReported } from '../reported.ts'

/** Where schedulers say which task of an array this is, counted from 0. Slurm's arrays have offsets, so its job file gives --index. */
const VARIABLES = ['JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX']

/** The index that the scheduler says. Code `usage` where none does. */
function indexOf(env: Readonly<Record<string, string | undefined>>): number {
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

const RUN_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  INDEX,
  { ...WORK_DIR, help: 'where the task keeps its work files until it is done' },
  GROUP_READABLE,
  ENDPOINT,
] as const

const HELP = `
Without --index the task is the one that JOB_COMPLETION_INDEX (Kubernetes) or
AWS_BATCH_JOB_ARRAY_INDEX says. A task that is done ends at once. One that died
is run again: it writes the same bytes.

Exit codes for a scheduler: 5 is worth another try; 2, 4 and 6 are not.

Examples:
  posthaul fleet run map --out s3://b/events --index 0
  posthaul fleet run seal --out events/ --index 7 --work-dir /scratch`

/** `fleet run`: one task of a stage. */
export function configureRun(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('run').description('run one task of a stage; the scheduler does it')
  command.argument('[stage]', STAGES.join(', then '))
  command.addHelpText('after', HELP)
  useReported(command, RUN_ROWS, io, exit, ({ values }, args) => run(values, stageOf(args[0]), io))
}

function stageOf(asked: string | undefined): Stage {
  const stage = STAGES.find((one) => one === asked)
  if (stage) return stage
  const guess = asked === undefined ? undefined : nearest(asked, STAGES)
  throw new PosthaulError(asked === undefined ? 'no stage was named' : `${asked} is no stage of a fleet`, {
    code: 'usage',
    hint: guess === undefined ? `name one: ${STAGES.join(', ')}` : `did you mean ${guess}?`,
  })
}

async function run(values: Values<typeof RUN_ROWS>, stage: Stage, io: Io): Promise<ExitCode> {
  const { out, endpoint, workDir } = values
  const index = values.index ?? indexOf(io.env)
  const work = workHome(io.env, workDir)
  await makeFolder(work)
  io.drain.allow(DRAIN_MS)
  const progress = progressFor(io.telemetry)
  const { runTask } = await import('../../transform/fleet/run-task.ts')
  const task = `${stage} ${index}`
  try {
    const ended = await runTask({
      out: withEndpoint(out, endpoint),
      stage,
      index,
      work,
      interrupted: io.interrupted,
      hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
      begun: (of) => progress.start('mapping', of),
      progress: (bytes) => progress.add(bytes),
    })
    progress.stop()
    io.telemetry.note('fleet', ended === 'known' ? `${task} was done before` : `${task} is done`, 'info')
    return EXIT.done
  } finally {
    progress.stop()
  }
}
