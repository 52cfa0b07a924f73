import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { WHERE } from '../../options/transform-rows.ts'
import type { Call } from '../command.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

/** Those of transform that change what becomes of a record, and what is done with the results. */
export const OPTIONS = [
  PRESET_ROW,
  ...EVENT_ROWS.filter((one) => one !== WHERE),
  row({
    flag: '--update',
    help: 'write what came out into the tests that fail, to be looked at',
  }),
  row({ flag: '--junit <file>', help: 'write the results as JUnit XML, for CI' }),
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
] as const

export type TestCall = Call<typeof OPTIONS>
