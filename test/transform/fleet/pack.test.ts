import { expect, test } from 'vitest'
import { groupOf, packUnits, sealTaskOf } from '../../../src/transform/fleet/pack.ts'
import { seeded } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'

test('every unit has one task, in order, and no task has more than the mean and the largest unit', () => {
  const random = seeded(seedOf('pack'))
  for (let round = 0; round < 200; round++) {
    const units = Array.from({ length: Math.floor(random() * 300) }, () => ({
      bytes: Math.floor(random() ** 4 * 1e9),
    }))
    const tasks = 1 + Math.floor(random() * 400)
    const first = packUnits(units, tasks)
    expect([first.length, first[0], first.at(-1)]).toEqual([tasks + 1, 0, units.length])
    const sizes = units.map(({ bytes }) => bytes + 1)
    const loads = first.slice(0, -1).map((from, task) => sum(sizes.slice(from, first[task + 1])))
    expect(sum(loads)).toBe(sum(sizes))
    expect(Math.max(...loads)).toBeLessThanOrEqual(sum(sizes) / tasks + Math.max(0, ...sizes))
  }
})

test('an index without work is no error, and empty files are read', () => {
  expect(packUnits([], 2)).toEqual([0, 0, 0])
  expect(packUnits([{ bytes: 0 }, { bytes: 0 }], 2)).toEqual([0, 1, 2])
  expect(packUnits([{ bytes: 5 }], 3)).toEqual([0, 0, 1, 1])
})

test('days before 1970 have a task too, and objects stay few', () => {
  expect([-1, 0, 7].map((day) => sealTaskOf(day, 4))).toEqual([3, 0, 3])
  expect(new Set(Array.from({ length: 10_000 }, (_, task) => groupOf(task))).size).toBe(64)
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
