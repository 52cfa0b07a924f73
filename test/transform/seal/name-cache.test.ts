import { expect, test } from 'vitest'
import { NameCache } from '../../../src/transform/seal/name-cache.ts'

test('a name is found by all bits of its hash, and one in its place drops it', () => {
  const cache = new NameCache()
  const words = Uint32Array.of(0, 0, 7, 1, 7, 2, 7 + 2 ** 20, 1)
  const found = () => [0, 2, 4, 6].map((at) => cache.find(words, at))
  expect(found()).toEqual([undefined, undefined, undefined, undefined])
  cache.keep(words, 0, '"zero"')
  cache.keep(words, 2, '"a"')
  expect(found()).toEqual(['"zero"', '"a"', undefined, undefined])
  cache.keep(words, 4, '"b"')
  expect(found()).toEqual(['"zero"', undefined, '"b"', undefined])
})
