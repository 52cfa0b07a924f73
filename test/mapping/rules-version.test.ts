import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { assertKeysRead, importIdOf, rulesOf } from '../../src/mapping/preset.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { uuidV5 } from '../../src/record/uuid.ts'

// fixtures.test.ts maps the fixtures. Here, what identifies their events is held against a file a version of the rules.
const FIXTURES = new URL('../../fixtures/', import.meta.url)
const GOLDEN = new URL('../golden/rules/', import.meta.url)

describe.each(PRESET_NAMES)('%s', (name) => {
  test('records of a version of the rules keep their names, ids and times', async () => {
    const rules = rulesOf(await loadPreset(name))
    const file = new URL(`${rules.replace(' ', '-')}.txt`, GOLDEN)
    const pinned = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    const now = identitiesOf(name)
    const changed = pinned.filter((line) => !now.some((one) => one === line || one.startsWith(`${line} `)))
    expect(
      changed,
      `these are other events than ${rules} makes: raise the preset's "rules", or ENGINE in src/mapping/preset.ts`,
    ).toEqual([])
    const added = now.filter((line) => !pinned.includes(line))
    expect(added, `pin these too, in test/golden/rules/${rules.replace(' ', '-')}.txt`).toEqual([])
  })

  test('has an import id that is the same on every machine', async () => {
    const posthaul = uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'posthaul')
    expect(importIdOf(await loadPreset(name))).toBe(uuidV5(posthaul, name))
  })
})

/** A line for each fixture that makes events, with sums of what identifies each of its events. The fixture has it in full. */
function identitiesOf(preset: string): string[] {
  const folder = new URL(`${preset}/valid/`, FIXTURES)
  return readdirSync(folder).flatMap((file) => {
    const { expected } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { expected: string[] }
    const sums = expected.map((line) => {
      const { uuid, timestamp, event, distinct_id } = JSON.parse(line)
      return createHash('sha256')
        .update(JSON.stringify([uuid, timestamp, event, distinct_id]))
        .digest('hex')
        .slice(0, 16)
    })
    return sums.length === 0 ? [] : [[file, ...sums].join(' ')]
  })
}

test.each([
  ['base_url', { baseUrl: 'https://stats.example.com' }, 'matomo', 'posthog'],
  ['group_types', { groupTypes: { 0: 'company' } }, 'posthog', 'matomo'],
])('%s of a mapping file is refused by presets that make nothing of it', async (key, said, reader, other) => {
  const mapping = { ...NO_MAPPING, ...said }
  assertKeysRead(mapping, reader, await loadPreset(reader))
  const preset = await loadPreset(other)
  expect(() => assertKeysRead(mapping, other, preset)).toThrow(`the preset ${other} makes nothing of ${key}`)
})
