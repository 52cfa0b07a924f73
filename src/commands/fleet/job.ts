import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { fleetStore } from '../../fleet/fleet-files.ts'
import { assertSeen, foldersOf, secretsOf } from '../../fleet/jobs/job-places.ts'
import {
  assertOneLine,
  type Engine,
  type JobFile,
  type JobRequest,
  type JobStage,
  TRIES,
} from '../../fleet/jobs/job-request.ts'
import { type KnownPlan, knownPlan } from '../../fleet/plan-file.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, OUT } from '../../options/rows/dataset-rows.ts'
import * as rows from '../../options/rows/fleet-rows.ts'
import { folded } from '../../report/fold.ts'
import { bytes, number } from '../../report/words.ts'
import { isS3, withEndpoint } from '../../store/s3-location.ts'
import { VERSION } from '../../version.ts'

const JOB_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  required(rows.ENGINE),
  rows.IMAGE,
  rows.JOB_NAME,
  rows.PARALLELISM,
  rows.TASK_WORK_DIR,
  rows.CLAIM,
  rows.CPUS,
  rows.MEMORY,
  rows.DISK,
  ENDPOINT,
] as const
type JobValues = Values<typeof JOB_ROWS>

const HELP = `
Nothing is submitted. The file has no secrets: tasks get them from the
scheduler, and it says how. Examples:
  posthaul fleet job --engine kubernetes --out s3://b/events > job.yaml
  posthaul fleet job --engine slurm --out s3://b/events > job.sh
  posthaul fleet job --engine make --out events/ > posthaul.mk`

/** `fleet job`: the file that a scheduler takes, on stdout. */
export function configureJob(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('job').description('print the job file for your scheduler')
  command.addHelpText('after', HELP)
  useOptions(command, JOB_ROWS, io.env, async ({ values }) => exit(await printJob(values, io)))
}

async function printJob(values: JobValues, io: Io): Promise<ExitCode> {
  refuseIdle(values)
  // Absolute: the file may be used in another folder.
  const out = isS3(values.out) ? withEndpoint(values.out, values.endpoint) : resolve(values.out)
  const store = await fleetStore(out)
  const known = await knownPlan(store, out)
  const folders = foldersOf(known.plan, out)
  assertSeen(folders, values.engine, values.claim)
  const { taskNeeds } = await import('../../fleet/jobs/task-needs.ts')
  const { cpus, memory: memoryMiB, disk: diskGiB } = values
  const { resources, dayBytes } = taskNeeds(known.plan, { cpus, memoryMiB, diskGiB })
  const request = requestOf(known, out, values, resources)
  assertOneLine(request)
  const { text, next } = await fileOf(values.engine, request)
  io.stdout.write(text)
  const needs = (['map', 'generate', 'seal'] as const).map((stage) => {
    const one = resources[stage]
    return `${stage} ${number(one.memoryMiB)} MiB of memory and ${number(one.diskGiB)} GiB of disk`
  })
  const say = (line: string) => io.stderr.write(folded(line, '  ', 'posthaul: '))
  say(
    `${number(request.tasks)} tasks a stage; each may use ${needs.join(', ')}. A task is tried ${TRIES} times at most`,
  )
  if (values.disk === undefined)
    say(
      `seal has room for a day of ${bytes(dayBytes)}; how large days are is known after map: --disk gives more`,
    )
  if (folders.length > 0 && values.engine === 'slurm')
    say('the plan names folders: every node must see them at the same paths')
  io.stderr.write(`Next:\n${next.map((line) => `  ${line}\n`).join('')}`)
  return EXIT.done
}

function requestOf(
  { id, plan }: KnownPlan,
  out: string,
  values: JobValues,
  resources: Readonly<Record<JobStage, JobRequest['resources']['map']>>,
): JobRequest {
  return {
    name: values.name ?? `posthaul-${id.slice(0, 8)}`,
    plan: id,
    out,
    tasks: plan.tasks,
    image: values.image ?? `posthaul:${VERSION}`,
    workDir: values.workDir,
    parallelism: values.parallelism,
    resources,
    secrets: secretsOf(plan, out, values.engine),
    shared: values.claim,
  }
}

/** Throws for options that the engine would not read. */
function refuseIdle({ engine, image, parallelism, claim }: JobValues): void {
  const readBy = {
    '--image': image !== undefined && ['kubernetes', 'aws-batch'],
    '--parallelism': parallelism !== undefined && ['kubernetes', 'slurm'],
    '--claim': claim !== undefined && ['kubernetes'],
  }
  for (const [flag, engines] of Object.entries(readBy)) {
    if (engines === false || engines.includes(engine)) continue
    throw new PosthaulError(`${flag} is for ${engines.join(' and ')}: ${engine} does not read it`, {
      code: 'usage',
      hint: (flag === '--parallelism' && INSTEAD[engine]) || `leave ${flag} out`,
    })
  }
}

/** How else to say how many tasks run at once. */
const INSTEAD: Readonly<Partial<Record<Engine, string>>> = {
  'aws-batch': 'the vCPUs of the compute environment say how many tasks run at once',
  make: 'say it to make: make -j 8',
}

/** Loaded one by one: only the file of Kubernetes takes a library. */
async function fileOf(engine: Engine, request: JobRequest): Promise<JobFile> {
  switch (engine) {
    case 'kubernetes':
      return (await import('../../fleet/jobs/kubernetes.ts')).kubernetesFile(request)
    case 'aws-batch':
      return (await import('../../fleet/jobs/aws-batch.ts')).awsBatchScript(request)
    case 'slurm':
      return (await import('../../fleet/jobs/slurm.ts')).slurmScript(request)
    case 'make':
      return (await import('../../fleet/jobs/make.ts')).makeFile(request)
  }
}
