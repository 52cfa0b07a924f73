import { MOST_TASKS } from '../../fleet/stage.ts'
import { row } from '../row.ts'
import { wholeNumber } from '../values.ts'

// How a transform is shared out over many machines.

export const TASKS = row({
  flag: '--tasks <n>',
  parse: wholeNumber(1, MOST_TASKS),
  otherwise: 'one for each 8 GiB of input, at most 1,000',
  help: 'how many tasks each stage has',
})

export const RESTART_FLEET = row({
  flag: '--restart',
  help: 'remove the plan that is there, with what its tasks have done, and plan anew',
})

export const INDEX = row({
  flag: '--index <n>',
  parse: wholeNumber(0, MOST_TASKS - 1),
  otherwise: "from the scheduler's own variable",
  help: 'the task of the stage, counted from 0',
})

export const ENGINE = row({
  flag: '--engine <name>',
  choices: ['kubernetes', 'aws-batch', 'slurm', 'make'],
  help: 'the scheduler that the job file is for',
})

export const IMAGE = row({
  flag: '--image <name>',
  otherwise: 'posthaul, with the version of this one',
  help: 'the container image that has posthaul, for kubernetes and aws-batch',
})

/** Kubernetes takes names such as these, and the others do too. */
function jobName(text: string): string {
  if (/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new RangeError('expected small letters, digits and dashes, at most 40, such as history-2024')
}

export const JOB_NAME = row({
  flag: '--name <name>',
  parse: jobName,
  otherwise: 'posthaul and the first digits of the plan',
  help: 'what the names of all jobs begin with',
})

export const PARALLELISM = row({
  flag: '--parallelism <n>',
  parse: wholeNumber(1, MOST_TASKS),
  otherwise: 'as many as there is room for',
  help: 'tasks at once, for kubernetes and slurm',
})

function volumeAt(text: string): { readonly claim: string; readonly path: string } {
  const [, claim, path] = /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?):(\/.+)$/.exec(text) ?? []
  if (claim !== undefined && path !== undefined) return { claim, path: path.replace(/(?<=.)\/+$/, '') }
  throw new RangeError('expected a claim and a folder, such as history:/data')
}

export const CLAIM = row({
  flag: '--claim <name:folder>',
  parse: volumeAt,
  help: 'kubernetes: PersistentVolumeClaim with the folders of the plan, and where it is mounted',
})

export const TASK_WORK_DIR = row({
  flag: '--work-dir <folder>',
  otherwise: "the engine's own place",
  help: 'where tasks keep their work files',
})

export const CPUS = row({
  flag: '--cpus <n>',
  parse: wholeNumber(1, 256),
  otherwise: '1',
  help: 'processors of a task',
})

export const MEMORY = row({
  flag: '--memory <mib>',
  parse: wholeNumber(256, 4_194_304),
  otherwise: 'by stage: 768 or 1024',
  help: 'memory of a task',
})

export const DISK = row({
  flag: '--disk <gib>',
  parse: wholeNumber(1, 65_536),
  otherwise: 'by stage, from the size of the input',
  help: 'room for the work files of a task',
})
