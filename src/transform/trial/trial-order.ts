import { PosthaulError } from '../../errors.ts'
import type { IdSet } from '../forget/id-set.ts'

const TRIAL_CHOICES = ['people', 'days'] as const
type TrialChoice = (typeof TRIAL_CHOICES)[number]

/** A small dataset of some of the people in the input. Plain data. */
export interface TrialOrder {
  readonly by: TrialChoice
  /** So many people, or last days. */
  readonly most: number
  /** The `$import_job_id` that the events of the whole have. */
  readonly wholeId: string
  /** Where the dataset goes, and whether it is packed. */
  readonly out: string
  readonly gzip: boolean
}

/** Whose events a trial has. Plain data; threads share the cells. */
export interface ChosenPeople {
  readonly ids: IdSet['cells']
  readonly groups: IdSet['cells']
  /** Days since 1970-01-01 of which it has all events; undefined where it has the people's events of all days. */
  readonly days: readonly number[] | undefined
}

/** What is asked of a transform, as far as a trial goes together with it. */
interface TrialRequest extends Partial<Readonly<Record<TrialChoice, number | undefined>>> {
  readonly after?: readonly string[]
  readonly dryRun: boolean
  readonly out?: string | undefined
  readonly gzip: boolean
}

/** The trial that is asked for; undefined for none. `wholeId`: what marks the events of the whole, null for nothing. */
export function trialOf(request: TrialRequest, wholeId: string | null): TrialOrder | undefined {
  const [by, second] = TRIAL_CHOICES.filter((one) => request[one] !== undefined)
  if (by === undefined) return undefined
  const { after = [], dryRun, out = '', gzip } = request
  if (second) throw apart(by, `--${second}`, 'each says how large the trial is: give one of them')
  if (dryRun)
    throw apart(by, '--dry-run', 'a dry run writes nothing: give it --sample for a part of the records')
  if (after.length > 0)
    throw apart(
      by,
      '--after',
      'who a person was in an earlier window is not known here: try all windows together',
    )
  if (wholeId === null)
    throw apart(
      by,
      '--import-id none',
      'a trial is known by its $import_job_id: leave the option out, or give a name',
    )
  return { by, most: request[by]!, wholeId, out, gzip }
}

export function trialSource({ by, most }: TrialOrder): Readonly<Record<string, string>> {
  return { trial: `${by} ${most}` }
}

function apart(by: TrialChoice, other: string, hint: string): PosthaulError {
  return new PosthaulError(`--${by} and ${other} are given together`, { code: 'usage', hint })
}
