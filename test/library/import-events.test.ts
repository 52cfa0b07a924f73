import { expect, test } from 'vitest'
import { type ImportOptions, type ImportSource, importEvents } from '../../src/index.ts'

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
