import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { keys } from '../../src/record/keys.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { engineOf, ownProperties } from '../transform/plain.ts'

const random = seeded(seedOf('names'))

// Ids as keys, as some trackers send them: more names than are remembered at once.
test('records whose names never come again do not bend those whose names do', () => {
  const preset = {
    fields: {
      event: '@event',
      user: '@user',
      plan: ['plan', 'set:plan'],
      'traits.initial_*': 'once:$*',
      'traits.*': 'set:*',
      'bag.*': 'bag_*',
      '*': '*',
    },
  } as const
  const mapping = { properties: { rename: { colour: 'color' }, drop: ['secret'], set: {} } }
  const engine = engineOf(preset, mapping)
  const usual = {
    plan: 'team',
    colour: 'red',
    secret: 1,
    traits: { initial_source: 'news', email: 'a@example.com' },
    bag: { size: 3, 'q"uoted': [1.0] },
    other: 'x',
  }
  const expected = ownProperties(engineOf(preset, mapping), usual)
  const { generation } = keys
  for (let i = 0; i < 2000; i++) {
    const ids = shuffled(
      Array.from({ length: 20 }, (_, n) => `id ${i}-${n}`),
      random,
    )
    const odd = {
      ...Object.fromEntries(ids.map((id, n) => [id, n])),
      bag: Object.fromEntries(ids.map((id) => [`b${id}`, id])),
      traits: { [`initial_${ids[0]}`]: 1, [ids[1]!]: 2 },
    }
    const found = ownProperties(engine, odd)
    const wanted = {
      ...Object.fromEntries(ids.map((id, n) => [id, n])),
      ...Object.fromEntries(ids.map((id) => [`bag_b${id}`, id])),
      $set: { [ids[1]!]: 2 },
      $set_once: { [`$initial_${ids[0]}`]: 1 },
    }
    // toEqual takes longer than all that it checks here.
    if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted)
    if (i % 20 === 0) expect(ownProperties(engine, usual)).toEqual(expected)
  }
  expect(keys.generation).toBeGreaterThan(generation + 3)
})
