import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { type Call, describe } from '../command.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

/** Those of transform that change what becomes of a record, and what is done with the results. */
export const OPTIONS = [
  PRESET_ROW,
  ...EVENT_ROWS,
  row({
    flag: '--update',
    help: 'write what came out into the tests that fail, to be looked at',
  }),
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
] as const

export type TestCall = Call<typeof OPTIONS>

/** `test`: whether records become what the tests of a mapping file expect. */
export const command = describe({
  argument: ['<mapping>', 'the mapping file'],
  help: `
Runs the tests in a mapping file, and those in the file beside it, which is
mapping.test.yaml for mapping.yaml: whether each record becomes what the test
expects. transform runs them, too, before it begins.

  posthaul test mapping.yaml
  posthaul test mapping.yaml --update

posthaul explain … --map mapping.yaml --as-test writes a test of a record.
The exit code is 3 if a test fails.`,
  options: OPTIONS,
  isReported: true,
  work: () => import('./run.ts'),
})
