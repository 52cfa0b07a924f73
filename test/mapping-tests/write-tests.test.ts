import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addTests } from '../../src/mapping-tests/write-tests.ts'
import type { WrittenTest } from '../../src/studio/tests/test-text.ts'
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

test('a mapping file that is open in an editor gets its test in the text there, and none on the disk', async () => {
  const rules = await rulesOf(OWN)
  const open = `# typed since\n${OWN}`
  const { file, yaml } = await addTests([ADDED], rules, open)
  expect([file, readFileSync(rules.map, 'utf8')]).toEqual([rules.map, OWN])
  expect(yaml).toMatch(/^# typed since\n.*name: one.*name: another\n/s)
})

test('else its own tests, or those of the file beside it, get one more on the disk', async () => {
  const own = await rulesOf(OWN)
  expect(await addTests([ADDED], own)).toEqual({ file: own.map, yaml: null })
  expect(readFileSync(own.map, 'utf8')).toContain('name: another\n')
  const bare = await rulesOf('preset: heap\n')
  const beside = bare.map.replace('.yaml', '.test.yaml')
  expect(await addTests([ADDED], bare, 'preset: heap\n')).toEqual({ file: beside, yaml: null })
  expect(existsSync(beside) && readFileSync(beside, 'utf8')).toContain(
    'options:\n  with: ["labels"]\ntests:\n',
  )
})
