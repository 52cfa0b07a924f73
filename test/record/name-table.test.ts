import { expect, test } from 'vitest'
import { NameTable } from '../../src/record/notes.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('name-table')
const add = (a: number, b: number) => a + b

test('keeps the same names with their exact sums, however the values were divided and ordered', () => {
  const next = seeded(seed)
  const values = Array.from({ length: 5_000 }, (): [string, number] => {
    const at = Math.floor(next() * 400)
    return [
      at % 3 === 0 ? `name ${'abcdefghij'[at % 10]}${'klmnopqrst'[Math.floor(at / 40)]}` : `id_${at}`,
      at,
    ]
  })
  const whole = new NameTable(add, 50)
  for (const [name, value] of values) whole.add(name, value)
  const exact = new Map<string, number>()
  for (const [name, value] of values) exact.set(name, (exact.get(name) ?? 0) + value)

  const { named, others } = whole.take()
  expect(named).toHaveLength(50)
  for (const [name, value] of named) expect(value).toBe(exact.get(name))
  const total = [...exact.values()].reduce(add)
  expect(named.reduce((sum, [, value]) => sum + value, others ?? 0)).toBe(total)

  const pieces = [0, 1, 2].map(() => new NameTable(add, 50))
  for (const [name, value] of values.toReversed()) pieces[Math.floor(next() * 3)]!.add(name, value)
  const merged = new NameTable(add, 50)
  for (const piece of pieces) {
    const taken = piece.take()
    for (const [name, value] of taken.named) merged.add(name, value)
    if (taken.others !== undefined) merged.addOthers(taken.others)
  }
  expect(merged.take()).toEqual({ named, others })
})

test('prefers names without digits: most names that are too many are made of ids', () => {
  const table = new NameTable(add, 2)
  for (let i = 0; i < 1_000; i++) table.add(`id_${i}`, 1)
  table.add('zebra', 1)
  table.add('plan', 1)
  for (let i = 0; i < 1_000; i++) table.add(`id_${i}`, 1)
  expect(table.take()).toEqual({
    named: [
      ['plan', 1],
      ['zebra', 1],
    ],
    others: 2_000,
  })
})

test('tells no names apart that are longer than 400 characters', () => {
  const table = new NameTable(add, 2)
  table.add('x'.repeat(401), 3)
  table.add('x'.repeat(400), 4)
  expect(table.take()).toEqual({ named: [['x'.repeat(400), 4]], others: 3 })
})
