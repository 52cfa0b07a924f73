import {
  CHECKPOINT_ROW,
  CONFIG,
  ENDPOINT,
  HOST,
  JSON_SUMMARY,
  OPTIONAL_API_ROWS,
  type Options,
  OVERWRITE,
  PAGE,
  REGION,
  required,
  STATE,
  type Values,
} from '../../options/index.ts'

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
