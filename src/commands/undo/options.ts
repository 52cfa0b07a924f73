import { FILE } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { IMPORT_ID_ROW } from '../../options/transform-rows.ts'
import type { Call } from '../command.ts'
import { DATASET_OPTION } from '../dataset-argument.ts'

export const OPTIONS = [
  { ...FILE, bare: false, help: 'the files that were imported' },
  DATASET_OPTION,
  { ...IMPORT_ID_ROW, otherwise: 'those of the input', help: 'all events with this $import_job_id' },
  row({
    flag: '--request <project>',
    help: 'ask the project of this name to delete the events; without it nothing is asked',
  }),
  row({ flag: '--status', help: 'how far the request is, and what is left once it is done' }),
  { ...CHECKPOINT_ROW, help: 'the checkpoint that the import was given' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  ...API_ROWS,
] as const

export type UndoCall = Call<typeof OPTIONS>
