import { expect, test } from 'vitest'
import { exportJson, exportPlanLines, exportSummary } from '../../../src/jobs/export/export-summary.ts'

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

test('the end of an export counts the members of archives that held no records', () => {
  const subject = { vendor: 'amplitude', out: 'raw/', windows: 1 }
  const run = { records: 5, filtered: 0, fetched: 1, bytes: 10, adopted: 0, refused: [], parts: [], late: [] }
  const end = {
    ...run,
    skipped: 2,
    missing: 0,
    verdict: undefined,
    persons: undefined,
    seconds: 1,
    error: undefined,
  }
  const line = "  skipped   2 members of the vendor's archives: no records in them\n"
  expect(exportSummary(subject, end)).toContain(line)
  expect(exportSummary(subject, { ...end, skipped: 0 })).not.toContain('skipped')
  expect(exportJson(subject, end)).toMatchObject({ skipped_members: 2 })
})
