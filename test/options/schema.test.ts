import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { loadConfigFile } from '../../src/options/load-file.ts'
import { parseConfig } from '../../src/options/schema.ts'

function failure(text: string): PosthaulError {
  try {
    parseConfig(text, 'posthaul.config.json')
  } catch (error) {
    if (error instanceof PosthaulError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('posthaul.config.json', () => {
  test('takes its settings', () => {
    const file = { region: 'eu', projectId: 12, import: { lanes: 4, retryFor: '2h' } }
    expect(parseConfig(JSON.stringify(file), 'c')).toEqual(file)
  })

  test.each([
    ['{"reigon":"eu"}', 'posthaul.config.json: reigon is not a setting', 'did you mean region?'],
    ['{"import":{"lane":2}}', 'posthaul.config.json: import.lane is not a setting', 'did you mean lanes?'],
    ['{"import":{"colour":2}}', 'import.colour is not a setting', 'known here: maxEventsPerMinute, '],
    ['{"region":"asia"}', 'posthaul.config.json: region: ', undefined],
    ['{"import":{"lanes":0}}', 'posthaul.config.json: import.lanes: ', undefined],
    ['[]', 'posthaul.config.json: the file: ', undefined],
    ['{"region":', 'posthaul.config.json is not valid JSON', undefined],
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
    const folder = await mkdtemp(join(tmpdir(), 'posthaul-config-'))
    const path = join(folder, 'mine.json')
    await expect(loadConfigFile(path)).rejects.toMatchObject({
      exitCode: 2,
      message: `cannot read ${path}: there is no such file or folder`,
    })
    await writeFile(path, '{"region":"us"}')
    await expect(loadConfigFile(path)).resolves.toEqual({ region: 'us' })
  })
})
