import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import * as rows from '../../options/rows/transform-rows.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

/** The options of `test`: those of transform that change what becomes of a record, and what is done with the results. */
export const TEST_ROWS = [
  PRESET_ROW,
  ...EVENT_ROWS.filter((row) => row !== rows.WHERE),
  rows.UPDATE_TESTS,
  rows.JUNIT,
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
] as const
