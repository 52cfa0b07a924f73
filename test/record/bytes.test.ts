import { describe, expect, test } from 'vitest'
import {
  copyBytes,
  firstSpecial,
  hashBytes,
  hex4,
  isBigInteger,
  isHuge,
  specials,
} from '../../src/record/bytes.ts'

const whole = (text: string) => [Buffer.from(text), 0, text.length] as const

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
])('FNV-1a of %j, which is shorter than a step', (text, hash) =>
  expect(hashBytes(...whole(text)) >>> 0).toBe(hash),
)

test('every byte of a key counts in its hash, wherever it is', () => {
  const hashes = new Set<number>()
  for (let length = 1; length <= 13; length++) {
    for (let at = 0; at < length; at++) {
      for (const letter of 'bc') {
        hashes.add(hashBytes(...whole(`${'a'.repeat(at)}${letter}${'a'.repeat(length - at - 1)}`)))
      }
    }
  }
  expect(hashes.size).toBe(2 * ((13 * 14) / 2))
})

describe('a big integer', () => {
  test.each([
    ['9007199254740991', false],
    ['9007199254740992', false],
    ['9007199254740993', true],
    ['999999999999999', false],
    ['10000000000000000', true],
    ['0', false],
  ])('%s: %s', (text, big) => expect(isBigInteger(...whole(text))).toBe(big))
})

describe('a huge number', () => {
  test.each([
    ['1.7976931348623157e308', false],
    ['1.7976931348623159e308', true],
    ['-1e309', true],
    ['1e-9999', false],
    ['-0', false],
  ])('%s: %s', (text, huge) => expect(isHuge(...whole(text))).toBe(huge))
})

test.each([
  ['00e9', 0xe9],
  ['FFfF', 0xffff],
  ['00g0', -1],
  ['00`0', -1],
  ['00@0', -1],
  ['00/0', -1],
  ['00:0', -1],
  ['00e', -1],
])('hex4 of %s', (text, unit) => expect(hex4(...whole(text))).toBe(unit))

test('of four bytes in a string the first that is not plain is found', () => {
  const isPlain = (byte: number) => byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c
  // Each byte at each place, beside those that a borrow could come from or go to.
  for (let byte = 0; byte < 256; byte++) {
    for (const beside of [0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xff, 0x00, 0x61]) {
      for (let at = 0; at < 4; at++) {
        const four = Buffer.alloc(4, beside)
        four[at] = byte
        const first = four.findIndex((one) => !isPlain(one))
        const mask = specials(four.readInt32LE())
        if ((mask === 0 ? -1 : firstSpecial(mask)) !== first) expect([...four]).toBe('told apart')
      }
    }
  }
})

test('bytes are copied to the last one, wherever they begin and end', () => {
  const from = Buffer.from('0123456789abcdefghij')
  const view = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let start = 0; start <= from.length; start++) {
    for (let end = start; end <= from.length; end++) {
      const into = Buffer.alloc(35, '~')
      const after = copyBytes(view(from), from.length, start, end, view(into), 2)
      expect(into.toString('latin1', 0, after)).toBe(`~~${from.toString('latin1', start, end)}`)
      expect(into.toString('latin1', after + 3)).toBe('~'.repeat(32 - after))
    }
  }
})

test('text of any kind is copied as it is, however often', () => {
  // Those that come nearest to a double that is no number, at every place of a step, until the copying is compiled.
  const text = Buffer.from(
    '\x7f\u{10ffff}\x7f\x7f\u{f0000}~\u{fffff}\x7f\uffff\x7f\u07ff\x7f \u0000\u{10ffff}'.repeat(40),
  )
  const into = Buffer.alloc(text.length + 16)
  const views = [text, into].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length))
  for (let round = 0; round < 3000; round++) {
    const start = round % 9
    copyBytes(views[0]!, text.length, start, text.length, views[1]!, 1)
    if (!into.subarray(1, 1 + text.length - start).equals(text.subarray(start)))
      expect.fail(`bytes from ${start} on differ`)
  }
})
