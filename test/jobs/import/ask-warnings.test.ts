import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tracedWarnings } from '../../../src/jobs/import/ask-warnings.ts'
import { testFolder } from '../../helpers/folder.ts'

const uuid = '018f0000-0000-7000-8000-000000000001'
const warning = { type: 'event_uuid_not_v7', category: 'event', severity: 'warning', count: 1 } as const
const asked = {
  since: '2024-03-01T00:00:00Z',
  unasked: undefined,
  told: [{ ...warning, examples: [{ uuid }] }],
  warnings: [{ ...warning, example: { uuid } }],
} as unknown as Parameters<typeof tracedWarnings>[0]
const { signal } = new AbortController()

test('an example is traced to its line', async () => {
  const folder = testFolder()
  const path = join(folder, 'events.ndjson')
  writeFileSync(path, `{"event":"a"}\n{"uuid":"${uuid}","event":"b"}\n`)
  const { warnings } = await tracedWarnings(asked, [folder], signal)
  expect(warnings).toMatchObject([{ example: { uuid, place: { file: path, line: 2 } } }])
})

test('a folder without files, as a dataset without events is, is no failure', async () => {
  const { warnings } = await tracedWarnings(asked, [testFolder()], signal)
  expect(warnings).toMatchObject([{ type: 'event_uuid_not_v7', example: { uuid } }])
})
