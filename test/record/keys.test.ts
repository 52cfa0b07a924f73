import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalKey, type Key, keyOf, keys } from '../../src/record/keys.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('keys')

/** How a name is spelled in the pool. */
function spelled(key: Key): string {
  const start = keys.starts[key]!
  return keys.pool.toString('utf8', start, start + 1 + keys.sizes[key]!)
}

/** What `match` says of a name and a text that begins at index 2. */
function matchAt(key: Key, text: string): number {
  const bytes = Buffer.from(`xx${text}`)
  return keys.match(key, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 2, bytes.length)
}

/** Enough names out of the data that some must be let go. */
function flood(round: number): void {
  for (let i = 0; i < 17_000; i++) keys.ofText(`passing ${round} ${i}`)
  keys.trim()
}

test('equal names have one number, and a number has its name in one spelling', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: CODE_POINT, maxLength: 20 }), { maxLength: 30 }), (names) => {
      const found = names.map((name) => keys.ofText(name))
      expect(new Set(found).size).toBe(new Set(names).size)
      for (const [index, name] of names.entries()) {
        const bytes = Buffer.concat([Buffer.from('"'), canonicalKey(name), Buffer.from('"')])
        const key = found[index]!
        expect([keys.find(bytes, 1, bytes.length - 1), keys.text(key), spelled(key)]).toEqual([
          key,
          name,
          `,"${canonicalKey(name)}":`,
        ])
      }
    }),
    { seed, numRuns: 300 },
  )
})

test('a canonical spelling escapes what it must, and nothing else', () => {
  expect(canonicalKey('a"\\\n/é😀\u2028').toString()).toBe('a\\"\\\\\\n/é😀\u2028')
})

test('a guess is right only when the whole name is there', () => {
  for (const name of ['a', 'ab', 'abc', 'abcd', 'abcde', 'é', 'a"b', '__proto__', 'x'.repeat(300)]) {
    const key = keys.ofText(name)
    const text = `${JSON.stringify(name)}:`
    expect(matchAt(key, `${text}1`)).toBe(2 + text.length + Buffer.byteLength(text) - text.length)
    expect(matchAt(key, text)).toBe(2 + Buffer.byteLength(text))
    for (let at = 0; at < text.length; at++) {
      expect([name, at, matchAt(key, `${text.slice(0, at)}~${text.slice(at + 1)}1`)]).toEqual([name, at, -1])
    }
    expect(matchAt(key, text.slice(0, -1))).toBe(-1)
    expect(matchAt(key, text.replace(':', ' :'))).toBe(-1)
  }
  expect(matchAt(keys.ofText(''), '"":1')).toBe(-1)
})

test('names of the data are let go when there are too many; those of the program stay what they were', () => {
  // Other tests of this process have left names too.
  flood(-1)
  const room = keys.starts.length
  const kept = ['a', 'b"', '$lib', ''].map((name) => [name, keyOf(name)] as const)
  const passing = keys.ofText('soon forgotten')
  const { generation } = keys
  keys.trim()
  expect(keys.generation).toBe(generation)
  for (let round = 0; round < 3; round++) {
    flood(round)
    expect(keys.generation).toBe(generation + round + 1)
    for (const [name, key] of kept) {
      expect(keys.ofText(name)).toBe(key)
      expect(keys.text(key)).toBe(name)
      expect(spelled(key)).toBe(`,"${canonicalKey(name)}":`)
    }
  }
  expect(matchAt(passing, '"soon forgotten":')).toBe(-1)
  // Numbers are used again, for other names.
  const again = Array.from({ length: 1000 }, (_, i) => keys.ofText(`again ${i}`))
  expect(new Set([...again, ...kept.map(([, key]) => key)]).size).toBe(1000 + kept.length)
  expect(again.map((key) => keys.text(key))).toEqual(again.map((_, i) => `again ${i}`))
  expect(keys.starts.length).toBe(room)
})

test('names of any length have room', () => {
  const long = keys.ofText('x'.repeat(200_000))
  expect(spelled(long)).toBe(`,"${'x'.repeat(200_000)}":`)
})

test('a few very long names of the data are let go as many short ones are', () => {
  const { generation } = keys
  for (let i = 0; i < 50; i++) keys.ofText(`${i} ${'x'.repeat(100_000)}`)
  keys.trim()
  expect(keys.generation).toBe(generation + 1)
  expect(keys.pool.length).toBeLessThan(1_000_000)
})
