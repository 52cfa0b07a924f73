import { expect, test } from 'vitest'
import { hashBytes } from '../../src/record/bytes.ts'
import { decodeText } from '../../src/record/text.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const roll = seeded(seedOf('text'))

/** Decodes from the middle of a buffer, as a record's member is. */
function decoded(text: string): string {
  const before = 'x'.repeat(Math.floor(roll() * 9))
  const bytes = Buffer.from(`${before}"${text}"y`)
  const start = before.length + 1
  return decodeText(bytes, start, bytes.length - 2, false)
}

test('a text is itself however often it comes, and whatever came in between', () => {
  const letters = ['a', 'b', '7', '-', 'é', 'ō', '日', '🙂', ' ']
  const texts = Array.from({ length: 6000 }, () =>
    Array.from({ length: Math.floor(roll() * 30) }, () => letters[Math.floor(roll() * letters.length)]).join(
      '',
    ),
  )
  for (let i = 0; i < 60_000; i++) {
    const text = texts[Math.floor(roll() * texts.length)]!
    if (decoded(text) !== text) expect(decoded(text)).toBe(text)
  }
})

test('texts that differ in one letter are told apart, at every length that is kept', () => {
  for (let length = 0; length < 60; length++) {
    const same = 'm'.repeat(length)
    expect(decoded(same)).toBe(same)
    for (let at = 0; at < length; at++) {
      const other = `${same.slice(0, at)}n${same.slice(at + 1)}`
      expect([decoded(other), decoded(same)]).toEqual([other, same])
    }
  }
})

test('texts of one hash are told apart', () => {
  // Found once by a search; a change of the hash asks for another pair.
  const [one, other] = ['mm00mmmm', 'qq90S,`n']
  expect(hashBytes(Buffer.from(one), 0, 8)).toBe(hashBytes(Buffer.from(other), 0, 8))
  for (let round = 0; round < 3; round++) expect([decoded(one), decoded(other)]).toEqual([one, other])
})

test('escapes are decoded', () => {
  const bytes = Buffer.from('a\\u00e9\\n\\ud83d\\ude42')
  expect(decodeText(bytes, 0, bytes.length, true)).toBe('aé\n🙂')
})
