import { expect, test } from 'vitest'
import {
  addNotes,
  countOne,
  emptyNotes,
  foldNotes,
  NameTable,
  type Notes,
  OTHERS,
  takeNotes,
} from '../../src/record/notes.ts'
import { seeded, seedOf } from '../helpers/random.ts'

function some(): Notes {
  const notes = emptyNotes()
  notes.mends.lone_surrogate = 1
  notes.mends.huge_number = 2
  notes.mends.big_integer = 3
  notes.mends.event_name_cut = 8
  notes.mends.id_trimmed = 9
  notes.mends.not_finite = 10
  notes.mends.deep_array = 11
  notes.mends.clock_twice = 13
  notes.mends.clock_skipped = 15
  notes.duplicate_keys = 4
  for (const name of ['a', '__proto__', 'constructor']) notes.big_integers[name] = 5
  notes.ignored_members.b = 6
  notes.unusable.c = 7
  return notes
}

test('add up, names of the language itself included', () => {
  const sum = some()
  addNotes(sum, some())
  expect(sum.mends).toEqual({
    lone_surrogate: 2,
    huge_number: 4,
    big_integer: 6,
    event_name_cut: 16,
    id_trimmed: 18,
    not_finite: 20,
    deep_array: 22,
    clock_twice: 26,
    clock_skipped: 30,
  })
  expect(sum.duplicate_keys).toBe(8)
  expect(Object.entries(sum.big_integers)).toEqual([
    ['a', 10],
    ['__proto__', 10],
    ['constructor', 10],
  ])
  expect(Object.entries(sum.ignored_members)).toEqual([['b', 12]])
  expect(Object.entries(sum.unusable)).toEqual([['c', 14]])
})

test('are taken out and start over, in place', () => {
  const notes = some()
  const { mends, big_integers } = notes
  expect(takeNotes(notes)).toEqual(some())
  expect(notes).toEqual(emptyNotes())
  expect(notes.mends).toBe(mends)
  expect(notes.big_integers).toBe(big_integers)
})

test('survive the way through JSON', () => {
  const sum = emptyNotes()
  addNotes(sum, JSON.parse(JSON.stringify(some())))
  expect(sum).toEqual(some())
})

test('names that are too many are counted together; those that are kept have their exact counts', () => {
  const notes = emptyNotes()
  for (let i = 0; i < 5_000; i++) {
    for (const name of ['price', `id_${i}`, `id_${i % 7}`]) countOne(notes.big_integers, name)
    if (i % 100 === 0) foldNotes(notes, 3)
  }
  foldNotes(notes, 3)
  const { price, id_0, id_1, [OTHERS]: others, ...more } = notes.big_integers
  // id_0 is met by both of its counts.
  expect([price, id_0, id_1, more]).toEqual([5_000, 716, 716, {}])
  expect(5_000 + 716 + 716 + others!).toBe(15_000)
})

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
