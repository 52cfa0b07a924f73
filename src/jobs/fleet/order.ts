import { PosthaulError } from '../../errors.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, IN, OUT } from '../../options/rows/dataset-rows.ts'
import { RESTART_FLEET, TASKS } from '../../options/rows/fleet-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { MAP, SPLIT_PEOPLE } from '../../options/rows/transform-rows.ts'
import type { Prepared } from '../../transform/prepare.ts'
import { PRESET_ROW, RULE_ROWS } from '../transform/run-transform.ts'

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

/** Refuses what takes one machine: a reading of all records before they are mapped, or of all events after it. */
export function assertShareable({ job, sides }: Prepared): void {
  if (job.forget !== undefined) {
    throw new PosthaulError('the mapping file has forget:, and a fleet cannot leave people out', {
      code: 'usage',
      hint: 'all ids of a person have to be found in all of the input first: posthaul transform does that, on one machine',
    })
  }
  if (job.split !== undefined) {
    throw new PosthaulError('--split-people: a fleet makes one dataset, and cannot divide it by people', {
      code: 'usage',
      hint: 'posthaul transform --split-people does that, on one machine; one machine imports the dataset of a fleet in order',
    })
  }
  const own = sides.find(({ table }) => table.ofRecords !== undefined)?.table
  if (own === undefined) return
  const { name, help, unless, needs } = own
  const without = unless
    ? `--with ${unless} leaves it out`
    : needs && `without --join ${needs} it is not made`
  throw new PosthaulError(
    `the preset ${job.preset} makes a table of all records (${name}: ${help}), and a fleet cannot`,
    {
      code: 'usage',
      hint: `${without ? `${without}, where you can do without; else use` : 'use'} posthaul transform, which makes it, on one machine`,
    },
  )
}
