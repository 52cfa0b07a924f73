import { expect, test } from 'vitest'
import { type ExportEnd, exportOf, exportPlanOf } from '../../../src/commands/export/export-of.ts'
import { exportLines, requestLines } from '../../../src/commands/export/text.ts'
import type { PersonState } from '../../../src/sources/source.ts'

const asks =
  'GET https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01&to_date=2023-01-01&project_id=1&time_in_ms=true'
const piece = { name: '2023-01-01', asks, finalAt: 0, async *fetch() {} }

const subject = { vendor: 'amplitude', preset: 'amplitude', renews: false, out: 'raw/', windows: 1 }
const exportSummary = (of: typeof subject, ended: ExportEnd) =>
  `${exportLines(exportOf(of, ended)).join('\n')}\n`

test('the requests of a dry run are rows in a pipe, and fit into 80 columns for a person', () => {
  expect(requestLines(exportPlanOf(subject, { wanted: [piece], asked: [piece], leastMs: 0 }), false)).toBe(
    `2023-01-01\t${asks}\n`,
  )
  expect(requestLines(exportPlanOf(subject, { wanted: [piece], asked: [piece], leastMs: 0 }), true)).toBe(
    [
      '2023-01-01',
      '  GET https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01',
      '  &to_date=2023-01-01&project_id=1&time_in_ms=true',
      '',
    ].join('\n'),
  )
})

const end = {
  records: 5,
  filtered: 0,
  fetched: 1,
  bytes: 10,
  refused: [],
  parts: [],
  late: [],
  missing: 0,
  verdict: undefined,
  persons: undefined,
  seconds: 1,
  error: undefined,
  next: undefined,
}

test('the end of an export says why rows have nothing of what was known of their person', () => {
  const reason = 'this server knows no such column'
  const textOf = (persons: PersonState) => exportSummary(subject, { ...end, persons }).replaceAll(/\s+/g, ' ')
  expect(textOf({ from: 'events', withoutSet: 0, reason })).toContain(
    ` persons $set of the events; ${reason} `,
  )
  const none = textOf({ from: 'none', withoutSet: 3, reason })
  expect(none).toContain(
    'warning the state of persons is not known: none of 3 events stored over 60 days ago',
  )
  expect(none).toContain(`; ${reason}; --persons brings it as it is now`)
  expect(none).not.toContain('--with person-properties')
  expect(exportOf(subject, { ...end, persons: { from: 'none', withoutSet: 3, reason } })).toMatchObject({
    person_state: { from: 'none', events_without_set: 3, reason },
  })
})

test('where no preset is known, a first mapping file comes next', () => {
  const text = exportLines(exportOf({ ...subject, preset: undefined }, end)).join('\n')
  expect(text).toContain('next: posthaul init raw/ --out mapping.yaml')
})
