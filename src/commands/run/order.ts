import { PosthaulError } from '../../errors.ts'
import { WAIT } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import type { Values } from '../../options/row.ts'
import {
  RUN_CHANGED,
  RUN_DRY_RUN,
  RUN_FROM,
  RUN_INIT,
  RUN_STAGES,
  RUN_STOP_AFTER,
  RUN_UNTIL,
} from '../../options/run-rows.ts'
import { RUN_INIT_ROWS } from './init.ts'

export const RUN_ROWS = [
  RUN_UNTIL,
  RUN_FROM,
  RUN_DRY_RUN,
  RUN_STOP_AFTER,
  RUN_CHANGED,
  { ...WAIT, help: 'if another run of this migration is at work, wait for its end; default: exit 7' },
  JSON_SUMMARY,
  RUN_INIT,
  ...RUN_INIT_ROWS,
] as const

export type RunValues = Values<typeof RUN_ROWS>

export function assertSomeStage({ from = RUN_STAGES[0], until = RUN_STAGES.at(-1)! }: RunValues): void {
  if (RUN_STAGES.indexOf(from) <= RUN_STAGES.indexOf(until)) return
  throw new PosthaulError(`--from ${from} --until ${until} leaves no stage to run`, {
    code: 'usage',
    hint: `the order is ${RUN_STAGES.join(', ')}`,
  })
}
