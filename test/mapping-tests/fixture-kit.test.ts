import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkFixture, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { testFolder } from '../helpers/folder.ts'

function folderWith(valid: object): string {
  const folder = testFolder()
  for (const kind of ['valid', 'invalid']) mkdirSync(join(folder, kind))
  writeFileSync(join(folder, 'valid/one.json'), JSON.stringify(valid))
  return folder
}

const INPUT =
  '{"event":"a","uuid":"4bc50c1b-67c9-5526-ba89-8daa3e3e31a0","distinct_id":"u","timestamp":"2024-03-01T12:00:00Z","properties":{"n":1.0,"list":[1,2]}}'

test('says member by member what differs, as it is written', async () => {
  const wrong = `{"uuid":"4bc50c1b-67c9-5526-ba89-8daa3e3e31a0","timestamp":"2024-03-01T12:00:00.000000Z","event":"b","distinct_id":"u","properties":{"n":1,"list":[1,3],"plan":"pro"}}`
  const [one] = readFixtures(folderWith({ about: 'An event.', input: INPUT, expected: [wrong, wrong] }))
  const failure = await checkFixture(one!, 'posthog').catch((error: Error) => error.message)
  for (const line of [
    'valid/one: An event.',
    '  event 1: event: expected "b", found "a"',
    '  event 1: properties.n: expected 1, found 1.0',
    '  event 1: properties.list: expected [1,3], found [1,2]',
    '  event 1: properties.plan is missing: "pro"',
    '  event 2 is missing: ',
  ])
    expect(failure).toContain(line)
})

test('a case that is no reject says what was found instead', async () => {
  const [one] = readFixtures(folderWith({ about: 'No reject.', input: INPUT, reason: 'event_missing' }))
  await expect(checkFixture(one!, 'posthog')).rejects.toThrow('found: 1 events, and no reject')
})

test.each([
  ['no input', { about: 'x' }, /a case has about and input/],
  ['neither end', { about: 'x', input: '{}' }, /expected, or else a reason/],
])('refuses a case with %s', (_, wrong, message) => {
  expect(() => readFixtures(folderWith(wrong))).toThrow(message)
})
