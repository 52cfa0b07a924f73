import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { loadConfigFile, parseConfig } from '../../src/options/config-file.ts'
import { SETTINGS } from '../../src/options/settings.ts'
import { testFolder } from '../helpers/folder.ts'

function failure(text: string): PosthaulError {
  try {
    parseConfig(text, 'posthaul.config.json', {})
  } catch (error) {
    if (error instanceof PosthaulError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('posthaul.config.json', () => {
  test('takes its settings', () => {
    const file = { region: 'eu', projectId: 12, import: { lanes: 4, retryFor: '2h' } }
    expect([...parseConfig(JSON.stringify(file), 'c', {})]).toEqual([
      ['region', { text: 'eu', from: 'region in c' }],
      ['projectId', { text: '12', from: 'projectId in c' }],
      ['import.lanes', { text: '4', from: 'import.lanes in c' }],
      ['import.retryFor', { text: '2h', from: 'import.retryFor in c' }],
    ])
  })

  test('may begin with the mark that editors of Windows write', async () => {
    const path = join(testFolder(), 'c.json')
    await writeFile(path, '\uFEFF{"region":"eu"}')
    expect((await loadConfigFile(path, {})).get('region')?.text).toBe('eu')
  })

  test('knows the settings of the table of options, and no other', () => {
    const keys = SETTINGS.flatMap(({ config }) => config ?? [])
    const top = new Set(keys.map((key) => key.split('.')[0]))
    expect(keys.length).toBeGreaterThan(10)
    expect(failure('{"zzzzzzzz":1}').hint).toBe(`known here: ${[...top].join(', ')}`)
  })

  test.each([
    ['{"reigon":"eu"}', 'posthaul.config.json: reigon is not a setting', 'did you mean region?'],
    ['{"import":{"lane":2}}', 'posthaul.config.json: import.lane is not a setting', 'did you mean lanes?'],
    [
      '{"import":{"colour":2}}',
      'import.colour is not a setting',
      'known here: singleWriter, maxEventsPerMinute, ',
    ],
    ['{"lanes":2}', 'posthaul.config.json: lanes is not a setting', 'known here: region'],
    [
      '{\n  "host": "{\\"x",\n  "region":\n    "asia" }',
      'region in posthaul.config.json is "asia": expected us or eu',
      undefined,
    ],
    [
      '{"import":{"lanes":0}}',
      'import.lanes in posthaul.config.json is "0": expected a whole number from 1 to 64',
      undefined,
    ],
    ['{"import":{"lanes":1.5}}', 'import.lanes in posthaul.config.json is "1.5"', undefined],
    ['{"import":{"lanes":true}}', 'import.lanes: expected text or a number', 'such as: {'],
    ['{"region":null}', 'region: expected text or a number', undefined],
    ['{"import":4}', 'posthaul.config.json: import: expected names with values', 'such as: {'],
    ['{"__proto__":{"region":"eu"}}', '__proto__ is not a setting', undefined],
    ['{"region":"eu",\n"region":"us"}', 'posthaul.config.json: a name is there twice', 'leave one'],
    ['{"import":{"lanes":1,"lanes":2}}', 'a name is there twice', 'leave one'],
    ['[]', 'posthaul.config.json: the file: expected names with values', undefined],
    ['{"region":', 'posthaul.config.json:1 is not valid JSON', 'such as: {'],
    ['{\n  "region": "eu",\n}', 'posthaul.config.json:3 is not valid JSON', 'look for a comma'],
  ])('%s is refused', (text, message, hint) => {
    const error = failure(text)
    expect(error.message).toContain(message)
    expect(error.code).toBe('config')
    if (hint) expect(error.hint).toContain(hint)
  })

  test.each(['phc_abc', 'phx_abc', 'phs_abc'])('a key in it is refused and not repeated: %s', (key) => {
    const error = failure(`{"host":"${key}"}`)
    expect(error.message).toContain('contains a key')
    expect(JSON.stringify([error.message, error.hint, String(error.stack)])).not.toContain(key)
  })

  test('may be absent, unless it was named', async () => {
    const path = join(testFolder(), 'mine.json')
    await expect(loadConfigFile(path, {})).rejects.toMatchObject({
      exitCode: 2,
      message: `cannot read ${path}: there is no such file or folder`,
    })
    await writeFile(path, '{"region":"us"}')
    expect((await loadConfigFile(path, {})).get('region')?.text).toBe('us')
  })
})
