import { expect, test } from 'vitest'
import { Differing, shapeOf } from '../../src/studio/differing-records.ts'

function chosen(wanted: number, ...records: readonly (readonly string[])[]): number[] {
  const kinds = new Differing()
  for (const [at, words] of records.entries()) kinds.add(at, words)
  return kinds.chosen(wanted)
}

test('the first is of the commonest name, whatever the names are called, and others are of other kinds', () => {
  for (const name of ['order', 'toString', '__proto__', '7'])
    expect(chosen(1, ['rare'], [name], [name])).toEqual([1])
  expect(chosen(2, ['a', 'x', 'd1'], ['a', 'x', 'd1'], ['a', 'y', 'd1'])).toEqual([0, 2])
  expect(chosen(2, ['a', 'x'], ['a', 'y'], ['b', 'x'])).toEqual([0, 2])
  expect(chosen(9, ['a'], ['b'])).toEqual([0, 1])
})

test('a shape is the names of all members, in any order', () => {
  expect(shapeOf('{"b":{"c":1},"a":2}')).toBe(shapeOf('{"a":3,"b":{"c":4}}'))
  expect(shapeOf('{"b":{"c":1}}')).not.toBe(shapeOf('{"b":{"d":1}}'))
})
