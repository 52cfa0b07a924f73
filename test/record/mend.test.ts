import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holdsBigInteger, mend, noMends } from '../../src/record/mend.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { Scanner } from '../../src/record/scan.ts'
import { FLAG, Tape } from '../../src/record/tape.ts'
import { objectText } from '../helpers/json-text.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('mend')

function mended(json: string, bigIntegers = false) {
  const { mends } = emptyNotes()
  const bytes = Buffer.from(`"${json}9`)
  const text = mend(bytes, 1, bytes.length - 1, { bigIntegers, mends }).toString('utf8')
  return { text, ...mends }
}

const NONE = noMends()

describe('mend', () => {
  test.each<[string, string, Partial<typeof NONE>]>([
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}', { lone_surrogate: 1 }],
    ['{"a":"x\\uDFFFy"}', '{"a":"x\\ufffdy"}', { lone_surrogate: 1 }],
    ['{"\\ud800":1}', '{"\\ufffd":1}', { lone_surrogate: 1 }],
    ['{"a":"\\ud800\\ud800"}', '{"a":"\\ufffd\\ufffd"}', { lone_surrogate: 2 }],
    ['{"a":"\\ud800\\ud83d\\ude00"}', '{"a":"\\ufffd\\ud83d\\ude00"}', { lone_surrogate: 1 }],
    ['{"a":"\\udc00\\ud800"}', '{"a":"\\ufffd\\ufffd"}', { lone_surrogate: 2 }],
    ['{"a":"\\uD83D\\uDE00"}', '{"a":"\\uD83D\\uDE00"}', {}],
    ['{"a":"\\\\ud800"}', '{"a":"\\\\ud800"}', {}],
    ['{"a":"\\\\\\ud800"}', '{"a":"\\\\\\ufffd"}', { lone_surrogate: 1 }],
    ['{"a":"\\ud800\\n"}', '{"a":"\\ufffd\\n"}', { lone_surrogate: 1 }],
    ['{"a":1e400}', '{"a":"1e400"}', { huge_number: 1 }],
    ['{"a":[-1E+309, 1.0]}', '{"a":["-1E+309", 1.0]}', { huge_number: 1 }],
    ['{"a":"1e400"}', '{"a":"1e400"}', {}],
    ['{"a":1e308,"b":-0,"c":1E+5}', '{"a":1e308,"b":-0,"c":1E+5}', {}],
    ['{"a":12345678901234567890}', '{"a":12345678901234567890}', {}],
    [`{"a":${'9'.repeat(400)}}`, `{"a":"${'9'.repeat(400)}"}`, { huge_number: 1 }],
  ])('%s', (json, text, counts) => expect(mended(json)).toEqual({ text, ...NONE, ...counts }))

  test.each<[string, string, Partial<typeof NONE>]>([
    ['{"a":9007199254740992}', '{"a":9007199254740992}', {}],
    ['{"a":9007199254740993}', '{"a":"9007199254740993"}', { big_integer: 1 }],
    ['{"a":12345678901234567.89,"b":-1.5}', '{"a":"12345678901234567.89","b":-1.5}', { big_integer: 1 }],
    ['{"a":[-12345678901234567890,1]}', '{"a":["-12345678901234567890",1]}', { big_integer: 1 }],
    ['{"a":12345678901234567890.5}', '{"a":"12345678901234567890.5"}', { big_integer: 1 }],
    ['{"12345678901234567890":1}', '{"12345678901234567890":1}', {}],
    [`{"a":${'9'.repeat(400)}}`, `{"a":"${'9'.repeat(400)}"}`, { huge_number: 1 }],
  ])('big integers as strings: %s', (json, text, counts) =>
    expect(mended(json, true)).toEqual({ text, ...NONE, ...counts }),
  )

  test('leaves all else byte for byte, and leaves nothing that the service would refuse', () => {
    const tape = new Tape()
    const scanner = new Scanner(tape)
    fc.assert(
      fc.property(objectText(), fc.boolean(), (json, bigIntegers) => {
        const bytes = Buffer.from(json)
        scanner.scan(bytes, 0, bytes.length)
        const { flags } = tape
        const { text, lone_surrogate, huge_number, big_integer } = mended(json, bigIntegers)
        const wanted = flags & (FLAG.loneSurrogate | FLAG.hugeNumber | (bigIntegers ? FLAG.bigInteger : 0))
        expect(text === json).toBe(wanted === 0)
        expect(lone_surrogate > 0).toBe((flags & FLAG.loneSurrogate) !== 0)
        expect(huge_number > 0).toBe((flags & FLAG.hugeNumber) !== 0)
        expect(big_integer > 0).toBe(bigIntegers && (flags & FLAG.bigInteger) !== 0)
        const after = Buffer.from(text)
        expect(scanner.scan(after, 0, after.length)).toBe(true)
        expect(tape.flags & ~FLAG.packed).toBe(bigIntegers ? 0 : flags & FLAG.bigInteger)
        // What the platform's parser makes of it differs only where it was mended.
        if (lone_surrogate === 0 && huge_number === 0 && big_integer === 0) {
          expect(JSON.parse(text)).toEqual(JSON.parse(json))
        }
      }),
      { seed, numRuns: 2000 },
    )
  })
})

test('holdsBigInteger finds what the scanner flags', () => {
  const tape = new Tape()
  const scanner = new Scanner(tape)
  fc.assert(
    fc.property(objectText({ sendable: true }), (json) => {
      const bytes = Buffer.from(json)
      scanner.scan(bytes, 0, bytes.length)
      expect(holdsBigInteger(bytes, 0, bytes.length)).toBe((tape.flags & FLAG.bigInteger) !== 0)
    }),
    { seed, numRuns: 1000 },
  )
})
