import { ENDPOINT } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import type { Options } from '../../options/options.ts'
import { JSON_SUMMARY, OVERWRITE, PAGE } from '../../options/output-rows.ts'
import { required, type Values } from '../../options/row.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { OPTIONAL_API_ROWS } from '../../options/service-settings.ts'

export const REPORT_ROWS = [
  required(PAGE),
  OVERWRITE,
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  ENDPOINT,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

export type ReportOptions = Options<Values<typeof REPORT_ROWS>>
