import { expect, test } from 'vitest'
import { DayCells, NameCache } from '../../../src/transform/seal/cells.ts'

/** Adds the nth event of a name, in the name's own cell. */
function add(cells: DayCells, name: string, n: number): void {
  const uuid = `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`
  cells.of(name).addTexts(uuid, 'u1', name, n)
}

test('a day with too many names is proven whole, and its first names are still counted', () => {
  const cells = new DayCells(2)
  const whole = new DayCells()
  for (const [n, name] of ['b', 'a', 'b', 'c', 'd', 'a'].entries()) {
    add(cells, name, n)
    whole.of('all').addTexts(`00000000-0000-5000-8000-${String(n).padStart(12, '0')}`, 'u1', name, n)
  }
  const { count, xor, sum } = whole.told('2024-03-01').arrival[0]!
  expect(cells.told('2024-03-01').arrival).toEqual([
    { day: '2024-03-01', event: null, names: 2, count, xor, sum },
  ])
  expect(count).toBe(6)
  expect(cells.told('2024-03-01')).toMatchObject({ names: { a: 2, b: 2 }, others: 2 })
})

test('names are in the order of their code units', () => {
  const cells = new DayCells()
  for (const name of ['é', 'b', '__proto__', 'B']) add(cells, name, 1)
  expect(cells.told('2024-03-01').arrival.map(({ event }) => event)).toEqual(['B', '__proto__', 'b', 'é'])
  expect(Object.keys(cells.told('2024-03-01').names)).toEqual(['B', '__proto__', 'b', 'é'])
})

test('of many names the same are kept in any order, each with all of its events, and none is lost', () => {
  const names = Array.from({ length: 400 }, (_, n) => (n % 4 === 0 ? `id_${n}` : `name ${letters(n)}`))
  const events = names.flatMap((name, n) => [name, name, names[(n * 7) % 400]!])
  const cellsOf = (order: readonly string[]) => {
    const cells = new DayCells(50)
    for (const [n, name] of order.entries()) add(cells, name, n)
    expect(cells.size).toBeLessThanOrEqual(100)
    return cells.told('2024-03-01')
  }
  const cells = cellsOf(events)
  expect(Object.keys(cells.names)).toHaveLength(50)
  for (const [name, count] of Object.entries(cells.names))
    expect([name, count]).toEqual([name, events.filter((one) => one === name).length])
  expect(cells.arrival).toMatchObject([{ event: null, count: events.length }])
  expect(cellsOf(events.toReversed())).toMatchObject({ names: cells.names, others: cells.others })
})

test('a name of more than 400 characters is not told apart', () => {
  const cells = new DayCells()
  for (const name of ['x'.repeat(401), 'x'.repeat(400)]) add(cells, name, 1)
  expect(cells.told('2024-03-01')).toMatchObject({ names: { ['x'.repeat(400)]: 1 }, others: 1 })
})

test('a folded day has one fingerprint, of what came before and after', () => {
  const [cells, whole] = [new DayCells(), new DayCells()]
  for (let n = 0; n < 6; n++) {
    add(cells, `name ${n % 3}`, n)
    whole
      .of('all')
      .addTexts(`00000000-0000-5000-8000-${String(n).padStart(12, '0')}`, 'u1', `name ${n % 3}`, n)
    if (n === 3) cells.fold()
  }
  const { count, xor, sum } = whole.told('2024-03-01').arrival[0]!
  expect(cells.told('2024-03-01').arrival).toEqual([
    { day: '2024-03-01', event: null, names: 0, count, xor, sum },
  ])
})

function letters(n: number): string {
  return String(n).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)
}

test('a name is found by all bits of its hash, and one in its place drops it', () => {
  const cache = new NameCache()
  const words = Uint32Array.of(0, 0, 7, 1, 7, 2, 7 + 2 ** 20, 1)
  const found = () => [0, 2, 4, 6].map((at) => cache.find(words, at)?.name)
  expect(found()).toEqual([undefined, undefined, undefined, undefined])
  cache.keep(words, 0, 'zero')
  cache.keep(words, 2, 'a')
  expect(found()).toEqual(['zero', 'a', undefined, undefined])
  cache.keep(words, 4, 'b')
  expect(found()).toEqual(['zero', undefined, 'b', undefined])
})
