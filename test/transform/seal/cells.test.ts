import { expect, test } from 'vitest'
import { DayCells } from '../../../src/transform/seal/cells.ts'

const uuid = (n: number) => Buffer.from(`00000000-0000-5000-8000-${String(n).padStart(12, '0')}`)

test('a day with too many names is proven whole, and its first names are still counted', () => {
  const cells = new DayCells(2)
  const whole = new DayCells()
  for (const [n, name] of ['b', 'a', 'b', 'c', 'd', 'a'].entries()) {
    cells.of(JSON.stringify(name)).add(uuid(n), 0)
    whole.of('"all"').add(uuid(n), 0)
  }
  const { count, xor, sum } = whole.arrival('2024-03-01')[0]!
  expect(cells.arrival('2024-03-01')).toEqual([{ day: '2024-03-01', event: null, names: 2, count, xor, sum }])
  expect(count).toBe(6)
  expect([cells.names, cells.others]).toEqual([{ a: 2, b: 2 }, 2])
})

test('names are in the order of their code units', () => {
  const cells = new DayCells()
  for (const name of ['é', 'b', '__proto__', 'B']) cells.of(JSON.stringify(name)).add(uuid(1), 0)
  expect(cells.arrival('2024-03-01').map(({ event }) => event)).toEqual(['B', '__proto__', 'b', 'é'])
  expect(Object.entries(cells.names).map(([name]) => name)).toEqual(['B', '__proto__', 'b', 'é'])
})
