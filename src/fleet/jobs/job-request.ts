import { EXIT, PosthaulError, SIGNALS } from '../../errors.ts'
import type { Stage } from '../stage.ts'

/** The schedulers that a job file can be made for. */
export const ENGINES = ['kubernetes', 'aws-batch', 'slurm', 'make'] as const
export type Engine = (typeof ENGINES)[number]

/** A stage of tasks, or the one job after them. */
export type JobStage = Stage | 'finish'

/** What a task may use. */
export interface Resources {
  readonly cpus: number
  readonly memoryMiB: number
  readonly diskGiB: number
}

/** A variable that tasks read, whose value no job file holds. */
export interface SecretVariable {
  readonly name: string
  /** False if the machine may have other credentials, such as a role. */
  readonly needed: boolean
}

/** A volume of the cluster that each task sees at the same path. */
export interface SharedVolume {
  readonly claim: string
  readonly path: string
}

/** What a job file says, in the same words for every engine. */
export interface JobRequest {
  /** Begins the names of all jobs: small letters, digits and dashes. */
  readonly name: string
  /** The plan's id. */
  readonly plan: string
  /** Where the plan is: a folder, or `s3://…` with its endpoint. */
  readonly out: string
  /** How many tasks each stage has. */
  readonly tasks: number
  /** For engines of containers. */
  readonly image: string
  /** Where tasks keep work files; undefined for the engine's own choice. */
  readonly workDir: string | undefined
  /** The most tasks at once; undefined for as many as there is room for. */
  readonly parallelism: number | undefined
  readonly resources: Readonly<Record<JobStage, Resources>>
  readonly secrets: readonly SecretVariable[]
  readonly shared: SharedVolume | undefined
}

/** A job file, and what its user does with it: a line each. */
export interface JobFile {
  readonly text: string
  readonly next: readonly string[]
}

/** How often a task is tried: AWS Batch allows no more, and the others do the same. */
export const TRIES = 10

/** Exit codes after which the same task would fail the same way: it is not tried again. */
export const FINAL_CODES = [EXIT.usage, EXIT.auth, EXIT.mismatch] as const

/** Exit codes of a task that was told to stop. */
export const STOPPED_CODES = Object.values(SIGNALS)

/** `fleet finish` ends with it when it is done and there are rejects. */
export const REJECTS_CODE = EXIT.rejects

/** The words after `posthaul` of a stage's task. The scheduler, or `index`, says which task it is. */
export function wordsOf(stage: JobStage, { out }: JobRequest, workDir?: string, index?: number): string[] {
  if (stage === 'finish') return ['fleet', 'finish', '--out', out]
  return [
    ...['fleet', 'run', stage],
    ...(index === undefined ? [] : ['--index', `${index}`]),
    ...['--out', out],
    ...(workDir === undefined ? [] : ['--work-dir', workDir]),
  ]
}

/** Throws code `usage` for values that no job file could hold: they would end a line. */
export function assertOneLine(request: JobRequest): void {
  const { name, out, image, workDir, shared } = request
  const values = { '--name': name, '--out': out, '--image': image, '--work-dir': workDir }
  for (const [flag, value] of Object.entries({ ...values, '--claim': shared?.path })) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (value === undefined || !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value)) continue
    throw new PosthaulError(`${flag} has a line break or another control character`, {
      code: 'usage',
      hint: 'use a path without it: job files are made of lines',
    })
  }
}
