import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY, OVERWRITE, PAGE } from '../../options/output-rows.ts'
import { required } from '../../options/row.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import type { Call } from '../command.ts'

export const OPTIONS = [
  required(PAGE),
  OVERWRITE,
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

export type ReportCall = Call<typeof OPTIONS>
