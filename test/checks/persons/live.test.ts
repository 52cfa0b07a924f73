import { expect, test } from 'vitest'
import { joined } from '../../../src/checks/persons/live.ts'

test.each([
  ['the second list ends first', ['a', 'b', 'd', 'e'], ['b', 'c', 'd']],
  ['the first list ends first', ['b', 'd'], ['a', 'b', 'c', 'd', 'e']],
])('finds the keys that both have and closes both lists: %s', (_, one, other) => {
  const closed: string[] = []
  function* list(keys: readonly string[], name: string): Generator<readonly [string, string]> {
    try {
      for (const key of keys) yield [key, name + key]
    } finally {
      closed.push(name)
    }
  }
  expect([...joined(list(one, '1'), list(other, '2'))]).toEqual([
    ['b', '1b', '2b'],
    ['d', '1d', '2d'],
  ])
  expect(closed.sort()).toEqual(['1', '2'])
})
