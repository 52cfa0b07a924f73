import { expect, test } from 'vitest'
import { FinalNames, finalName } from '../../src/mapping/compile.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { keys } from '../../src/record/keys.ts'

const NAMES = new FinalNames({
  ...NO_MAPPING,
  properties: { ...NO_MAPPING.properties, drop: ['secret'], rename: { old: 'new' } },
})

test('a property is dropped, renamed or left as it is, the second time as the first', () => {
  for (const _ of [1, 2]) {
    expect(NAMES.of('secret')).toBeNull()
    expect(NAMES.of('old')?.name).toBe('new')
    expect(NAMES.of('plain')?.name).toBe('plain')
  }
})

test('a key is of its name also after names were let go: another name may have the number since', () => {
  const before = keys.generation
  NAMES.of('old')
  for (let n = 0; n < 17_000; n++) keys.ofText(`passing ${n}`)
  keys.trim()
  expect(keys.generation).toBeGreaterThan(before)
  for (let n = 0; n < 17_000; n++) keys.ofText(`another ${n}`)
  expect(keys.text(NAMES.of('old')!.key)).toBe('new')
})

test('each of very many names that a mapping file drops is found without a search through all', () => {
  const drop = Array.from({ length: 200_000 }, (_, place) => `dropped ${place}`)
  const mapping = { ...NO_MAPPING, properties: { rename: { plan: 'tier' }, drop, set: {} } }
  expect(drop.filter((name) => finalName(name, mapping) !== undefined)).toEqual([])
  expect([finalName('plan', mapping), finalName('kept', mapping)]).toEqual(['tier', 'kept'])
  expect(finalName('$heatmap_data', mapping)).toBeUndefined()
})
