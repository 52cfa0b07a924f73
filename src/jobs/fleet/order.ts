import { PosthaulError } from '../../errors.ts'
import {
  ENDPOINT,
  GROUP_READABLE,
  IN,
  JSON_SUMMARY,
  MAP,
  OUT,
  RESTART_FLEET,
  required,
  TASKS,
  TRIAL_DAYS,
  TRIAL_LIMIT,
  TRIAL_PEOPLE,
  type Values,
} from '../../options/index.ts'
import type { Prepared } from '../../transform/index.ts'
import { PRESET_ROW, RULE_ROWS } from '../transform/order.ts'

// Named, so that they are refused with what to do, and not as unknown options.
const TRIAL = {
  shown: 'seldom',
  help: 'refused: posthaul transform makes a trial, on one machine',
} as const
const PEOPLE_REFUSED = { ...TRIAL_PEOPLE, ...TRIAL } as const
const LIMIT_REFUSED = { ...TRIAL_LIMIT, ...TRIAL } as const
const DAYS_REFUSED = { ...TRIAL_DAYS, ...TRIAL } as const

export const PLAN_ROWS = [
  PRESET_ROW,
  required(IN),
  required(OUT),
  MAP,
  TASKS,
  RESTART_FLEET,
  ...RULE_ROWS,
  PEOPLE_REFUSED,
  LIMIT_REFUSED,
  DAYS_REFUSED,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const
export type PlanValues = Values<typeof PLAN_ROWS>

/** Refuses what takes one machine: a reading of all events after they are sealed. */
export function assertShareable({ job }: Pick<Prepared, 'job'>): void {
  if (job.trial) {
    throw new PosthaulError(`--${job.trial.by}: a fleet makes a whole dataset, and no trial`, {
      code: 'usage',
      hint: `posthaul transform --${job.trial.by} makes one on one machine, of the same input or of some of its files`,
    })
  }
}
