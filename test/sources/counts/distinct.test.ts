import { expect, test } from 'vitest'
import { DistinctSet, SpanHash } from '../../../src/sources/counts/part-counter.ts'

test('tells every text from every other, however the set grows', () => {
  const set = new DistinctSet(1_000_000)
  const hash = new SpanHash()
  const add = (...texts: string[]) => {
    hash.reset()
    for (const text of texts) hash.add(Buffer.from(text), 0, Buffer.byteLength(text))
    return set.add(hash.low, hash.high)
  }
  /** How many of 50,000 texts were new. */
  const addAll = () => {
    let added = 0
    for (let i = 0; i < 50_000; i++) if (add(`user-${i % 1000}`, String(i))) added++
    return added
  }
  expect([addAll(), addAll()]).toEqual([50_000, 0])
  // The same letters, cut elsewhere, are other values.
  expect(add('ab', 'c')).toBe(true)
  expect(add('a', 'bc')).toBe(true)
  expect(add('abc', '')).toBe(true)
  expect(add('', 'abc')).toBe(true)
})

test('a hash of zeros is one like others, and a full set says so', () => {
  const set = new DistinctSet(2)
  expect([set.add(0, 0), set.add(0, 0), set.full]).toEqual([true, false, false])
  expect([set.add(0, 7), set.full]).toEqual([true, true])
})
