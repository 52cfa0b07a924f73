import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WrittenTest } from '../../src/mapping-tests/test-text.ts'
import { addTests } from '../../src/mapping-tests/write-tests.ts'
import { loadMapping } from '../../src/transform/load-mapping.ts'
import { testFolder } from '../helpers/folder.ts'

const ADDED: WrittenTest = {
  name: 'another',
  source: { kind: 'record', json: '{}' },
  table: undefined,
  outcome: { events: [], rejected: ['event_missing'], messages: [], filtered: [], leftOut: [], link: null },
}
const OWN = 'tests: [{ name: one, record: {}, rejected: event_missing }]\n'

/** The rules of a mapping file of this text, in a folder of its own. */
async function rulesOf(text: string) {
  const map = join(testFolder(), 'mapping.yaml')
  writeFileSync(map, text)
  return {
    map,
    file: await loadMapping(map),
    options: { with: ['labels'] },
  }
}

test('a mapping file gets its test among its own in the file beside it', async () => {
  const own = await rulesOf(OWN)
  expect(await addTests([ADDED], own)).toBe(own.map)
  expect(readFileSync(own.map, 'utf8')).toContain('name: another\n')
  const bare = await rulesOf('preset: heap\n')
  const beside = bare.map.replace('.yaml', '.test.yaml')
  expect(await addTests([ADDED], bare)).toBe(beside)
  expect(existsSync(beside) && readFileSync(beside, 'utf8')).toContain(
    'options:\n  with: ["labels"]\ntests:\n',
  )
})
