import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gatherReport } from '../../../src/commands/report/gather-report.ts'
import type { Io } from '../../../src/io.ts'
import { partsByDay, writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

test('the properties that a page has no room for are said', async () => {
  const folder = join(testFolder(), 'events')
  const properties = Object.fromEntries(Array.from({ length: 62 }, (_, n) => [`property ${n}`, n]))
  await writeDataset(folder, partsByDay([{ ...makeEvent(1), properties }]))
  const io = { env: {}, argv: ['report', folder] } as unknown as Io
  const where = { checkpoint: undefined, state: undefined, endpoint: undefined }
  const { fill, reduced } = await gatherReport({ names: [folder], where, stateWords: [] }, io)
  expect(fill![0]!.after).toHaveLength(60)
  expect(reduced).toContain('2 rarer members and properties are in manifest.json')
})
