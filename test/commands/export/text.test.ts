import { expect, test } from 'vitest'
import type { ExportResult } from '../../../src/commands/export/result.ts'
import { exportLines, requestLines } from '../../../src/commands/export/text.ts'
import { zeroCounts } from '../../../src/record/counts.ts'

const asks =
  'GET https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01&to_date=2023-01-01&project_id=1&time_in_ms=true'

const result: ExportResult = {
  ...{ version: 1, command: 'export', vendor: 'amplitude', preset: 'amplitude', renews: false },
  ...{ dry_run: false, finished: true, out: 'raw/', seconds: 1, counts: zeroCounts() },
  windows: { asked: 1, fetched: 1, missing: 0, bytes: 10, refused: [] },
  dataset: { parts: 0, records: 0, bytes: 0 },
  ...{ late: [], reconciled: null, person_state: null, error: null, next_command: null },
  ...{ least_seconds: null, requests: [{ window: '2023-01-01', asks }] },
}

test('the requests of a dry run are rows', () => {
  expect(requestLines(result)).toBe(`2023-01-01\t${asks}\n`)
})

test('the end of an export says why rows have nothing of what was known of their person', () => {
  const reason = 'this server knows no such column'
  const textOf = (person_state: ExportResult['person_state']) =>
    `${exportLines({ ...result, person_state }).join('\n')}\n`.replaceAll(/\s+/g, ' ')
  expect(textOf({ from: 'events', events_without_set: 0, reason })).toContain(
    ` persons $set of the events; ${reason} `,
  )
  const none = textOf({ from: 'none', events_without_set: 3, reason })
  expect(none).toContain(
    'warning the state of persons is not known: none of 3 events stored over 60 days ago',
  )
  expect(none).toContain(`; ${reason}; --persons brings it as it is now`)
  expect(none).not.toContain('--with person-properties')
})

test('where no preset is known, a first mapping file comes next', () => {
  const text = exportLines({ ...result, preset: null }).join('\n')
  expect(text).toContain('next: posthaul init raw/ --out mapping.yaml')
})
