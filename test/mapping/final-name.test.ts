import { expect, test } from 'vitest'
import { finalName } from '../../src/mapping/compile.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'

test('each of very many names that a mapping file drops is found without a search through all', () => {
  const drop = Array.from({ length: 200_000 }, (_, place) => `dropped ${place}`)
  const mapping = { ...NO_MAPPING, properties: { rename: { plan: 'tier' }, drop, set: {} } }
  expect(drop.filter((name) => finalName(name, mapping) !== undefined)).toEqual([])
  expect([finalName('plan', mapping), finalName('kept', mapping)]).toEqual(['tier', 'kept'])
  expect(finalName('$heatmap_data', mapping)).toBeUndefined()
})
