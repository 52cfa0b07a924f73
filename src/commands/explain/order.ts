import type { Values } from '../../options/row.ts'
import { ENDPOINT } from '../../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { AS_TEST, EXPLAINED_EVENT, LINE, UUID } from '../../options/rows/studio-rows.ts'
import * as rows from '../../options/rows/transform-rows.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

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
