import { expect, test } from 'vitest'
import { exportPlanLines } from '../../src/report/export-summary.ts'

const asks =
  'GET https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01&to_date=2023-01-01&project_id=1&time_in_ms=true'
const piece = { name: '2023-01-01', asks, finalAt: 0, async *fetch() {} }

test('the requests of a dry run are rows in a pipe, and fit into 80 columns for a person', () => {
  expect(exportPlanLines([piece], false)).toBe(`2023-01-01\t${asks}\n`)
  expect(exportPlanLines([piece], true)).toBe(
    [
      '2023-01-01',
      '  GET https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01',
      '  &to_date=2023-01-01&project_id=1&time_in_ms=true',
      '',
    ].join('\n'),
  )
})
