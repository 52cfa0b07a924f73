import { describe, expect, test } from 'vitest'
import { hashBytes, hex4, isBigInteger, isHuge } from '../../src/record/bytes.ts'

const whole = (text: string) => [Buffer.from(text), 0, text.length] as const

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('FNV-1a of %j', (text, hash) => expect(hashBytes(...whole(text)) >>> 0).toBe(hash))

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
