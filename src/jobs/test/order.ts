import { PosthaulError } from '../../errors.ts'
import type { Values } from '../../options/row.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import * as rows from '../../options/rows/transform-rows.ts'
import { EVENT_ROWS, PRESET_ROW } from '../transform/order.ts'

/** The options of `test`: those of transform that change what becomes of a record, and what is done with the results. */
export const TEST_ROWS = [
  PRESET_ROW,
  ...EVENT_ROWS.filter((row) => row !== rows.WHERE),
  rows.UPDATE_TESTS,
  rows.JUNIT,
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
] as const

export type TestValues = Values<typeof TEST_ROWS>

/** Where tests stand that are not in the mapping file itself: `mapping.test.yaml` for `mapping.yaml`. */
export function testFileOf(map: string): string {
  return map.replace(/(\.(ya?ml|json))?$/i, '.test.yaml')
}

/** Refuses a file of tests in the place of its mapping file. Code `usage`. */
export function assertMappingFile(map: string): void {
  const stem = /^(.*)\.test\.ya?ml$/i.exec(map)?.[1]
  if (stem === undefined) return
  throw new PosthaulError(`${map} is a file of tests, not a mapping file`, {
    code: 'usage',
    hint: `name the mapping file beside it: ${stem}.yaml`,
  })
}
