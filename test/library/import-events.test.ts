import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ImportOptions, type ImportSource, importEvents } from '../../src/index.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { stateHome } from '../helpers/state-home.ts'

const options: ImportOptions = { projectKey: 'phc_key', host: 'http://127.0.0.1:1' }

test.each(['dryRun', 'verify', 'json'])('a program can’t ask for %s: nothing would heed it', async (name) => {
  const asked = { ...options, [name]: true }
  await expect(importEvents({ files: ['events.ndjson'] }, asked)).rejects.toMatchObject({
    code: 'usage',
    message: `${name} is no option`,
  })
})

test('a source that names nothing is refused', async () => {
  const source: Partial<Record<'dataset', string>> = {}
  await expect(importEvents(source as ImportSource, options)).rejects.toMatchObject({ code: 'usage' })
})

test('an import that its time ended before its input is not finished', async () => {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${eventLine(makeEvent(1))}\n`)
  // At this pace nothing is sent for a while.
  const slow = { ...options, env: stateHome(), lanes: 1, maxEventsPerMinute: 3, stopAfter: '1s' }
  expect(await importEvents({ files: [path] }, slow)).toMatchObject({
    counts: { read: 1, written: 0, pending: 1 },
    conserved: true,
    finished: false,
    deliveredNow: 0,
  })
})
