import {
  AS_TEST,
  ENDPOINT,
  EXPLAINED_EVENT,
  JSON_SUMMARY,
  LINE,
  transformRows as rows,
  UUID,
  type Values,
} from '../../options/index.ts'
import { EVENT_ROWS, PRESET_ROW } from '../transform/order.ts'

/** The options of `explain`: which record, and those of transform that change what becomes of one. */
export const EXPLAIN_ROWS = [
  LINE,
  UUID,
  EXPLAINED_EVENT,
  { ...PRESET_ROW, otherwise: 'as the mapping file says, else the one that the records fit' },
  rows.MAP,
  ...EVENT_ROWS,
  rows.IMPORT_ID_ROW,
  rows.NO_IMPORT_ID,
  AS_TEST,
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
  ENDPOINT,
] as const

export type ExplainValues = Values<typeof EXPLAIN_ROWS>
