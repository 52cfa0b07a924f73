import { expect, test } from 'vitest'
import { addCounts, addNotes, emptyNotes, type Notes, takeNotes } from '../../src/record/notes.ts'

function some(): Notes {
  const notes = emptyNotes()
  notes.mends.lone_surrogate = 1
  notes.mends.huge_number = 2
  notes.mends.big_integer = 3
  notes.duplicate_keys = 4
  for (const name of ['a', '__proto__', 'constructor']) notes.big_integers[name] = 5
  notes.ignored_members.b = 6
  notes.unusable.c = 7
  return notes
}

test('add up, names of the language itself included', () => {
  const sum = some()
  addNotes(sum, some())
  expect(sum.mends).toEqual({ lone_surrogate: 2, huge_number: 4, big_integer: 6 })
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
