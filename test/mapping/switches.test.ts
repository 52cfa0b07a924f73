import { expect, test } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { assertKeysRead } from '../../src/mapping/preset.ts'
import { loadPreset } from '../../src/presets/index.ts'

test.each([
  ['base_url', { baseUrl: 'https://stats.example.com' }, 'matomo', 'posthog'],
  ['group_types', { groupTypes: { 0: 'company' } }, 'posthog', 'matomo'],
])('%s of a mapping file is refused by presets that make nothing of it', async (key, said, reader, other) => {
  const mapping = { ...NO_MAPPING, ...said }
  assertKeysRead(mapping, reader, await loadPreset(reader))
  const preset = await loadPreset(other)
  expect(() => assertKeysRead(mapping, other, preset)).toThrow(`the preset ${other} makes nothing of ${key}`)
})
