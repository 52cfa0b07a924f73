import { expect, test } from 'vitest'
import {
  addCounts,
  addNotes,
  countOne,
  emptyNotes,
  foldNotes,
  type Notes,
  OTHERS,
  takeNotes,
} from '../../src/record/notes.ts'

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

test('counts add up key by key', () => {
  const into: Record<string, number> = Object.create(null)
  addCounts(into, { a: 1, b: 2 })
  addCounts(into, { b: 3 })
  expect({ ...into }).toEqual({ a: 1, b: 5 })
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
