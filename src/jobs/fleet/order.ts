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
  SPLIT_PEOPLE,
  TASKS,
  type Values,
} from '../../options/index.ts'
import type { Prepared } from '../../transform/index.ts'
import { PRESET_ROW, RULE_ROWS } from '../transform/order.ts'

const { otherwise: _, ...SPLIT } = SPLIT_PEOPLE
/** Named, so that it is refused with what to do, and not as an unknown option. */
const SPLIT_REFUSED = {
  ...SPLIT,
  help: 'refused: posthaul transform divides a history by people, on one machine',
} as const

export const PLAN_ROWS = [
  PRESET_ROW,
  required(IN),
  required(OUT),
  MAP,
  TASKS,
  RESTART_FLEET,
  ...RULE_ROWS,
  SPLIT_REFUSED,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const
export type PlanValues = Values<typeof PLAN_ROWS>

/** Refuses what takes one machine: a reading of all events after they are sealed. */
export function assertShareable({ job }: Pick<Prepared, 'job'>): void {
  if (job.split === undefined) return
  throw new PosthaulError('--split-people: a fleet makes one dataset, and cannot divide it by people', {
    code: 'usage',
    hint: 'posthaul transform --split-people does that, on one machine; one machine imports the dataset of a fleet in order',
  })
}
