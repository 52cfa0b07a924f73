import { ACCEPT } from '../../guards/guards.ts'
import { FILE } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { BIG_INTEGERS, WITH } from '../../options/transform-rows.ts'
import { VERIFY_SAMPLE, VERIFY_WAIT } from '../../options/verify-rows.ts'
import type { Call } from '../command.ts'
import { DATASET_OPTION } from '../dataset-argument.ts'

/** The options of `verify`. */
export const OPTIONS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: 'files that were imported as they are, verified with the datasets' },
  { ...WITH, help: 'switches of the preset posthog that they were imported with' },
  { ...BIG_INTEGERS, help: 'how they were imported' },
  VERIFY_SAMPLE,
  VERIFY_WAIT,
  row({
    flag: '--missing <file>',
    otherwise: 'beside the input',
    help: 'where missing events are written, for import --file',
  }),
  { ...ACCEPT, help: 'with hidden_groups: exit 0 though events do not show their groups' },
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  STATE,
  JSON_SUMMARY,
  ...API_ROWS,
] as const

export type VerifyCall = Call<typeof OPTIONS>
