import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineFramer, type LinePlace, type LineSink } from '../../src/record/lines.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('lines')

type Seen = [text: string, offset: number, number: number]

/** Notes what a framer tells. */
const into = (seen: Seen[]): LineSink => ({
  line: (line, start, end, offset, number) => seen.push([line.toString('utf8', start, end), offset, number]),
  tooLong: (offset, length, number) => seen.push([`${length} bytes`, offset, number]),
})

/** Frames `bytes`, cut at the given places; every piece is overwritten once it has been pushed. */
function frame(bytes: Buffer, cuts: readonly number[] = [], maxBytes?: number): Seen[] {
  const seen: Seen[] = []
  const framer = new LineFramer(into(seen), maxBytes)
  let from = 0
  for (const cut of [...cuts.filter((at) => at < bytes.length), bytes.length].sort((a, b) => a - b)) {
    // Readers reuse their buffers: a framer that kept a piece would show it.
    const piece = Buffer.from(bytes.subarray(from, cut))
    framer.push(piece)
    piece.fill(0x58)
    from = cut
  }
  framer.end()
  return seen
}

const texts = (bytes: Buffer | string, maxBytes?: number) =>
  frame(Buffer.from(bytes as string), [], maxBytes).map(([text]) => text)

describe('lines', () => {
  test.each<[string, string | Buffer, string[]]>([
    [
      'keep U+2028, U+2029, NEL, VT and FF inside',
      'a\u2028b\u2029c\u0085d\u000be\u000cf\n',
      ['a\u2028b\u2029c\u0085d\u000be\u000cf'],
    ],
    ['keep bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0x0a, 0x62]), ['a\ufffd', 'b']],
    [
      'keep what only begins like a byte order mark',
      Buffer.from('\xef\xbba\n\xef\xbb', 'latin1'),
      ['\ufffda', '\ufffd'],
    ],
  ])('%s', (_, bytes, expected) => expect(texts(bytes)).toEqual(expected))

  test('have the offsets of their first bytes, the mark before the first one included', () => {
    expect(frame(Buffer.from('\ufeffa\r\n\n  é\nb'))).toEqual([
      ['a', 0, 1],
      ['  é', 7, 3],
      ['b', 12, 4],
    ])
  })

  test('may have exactly the cap', () => {
    expect(texts('12345678\n123456789\n1234567\r\n', 8)).toEqual(['12345678', '9 bytes', '1234567'])
    expect(texts('\ufeff1234\r\n12345678', 8)).toEqual(['1234', '12345678'])
  })
})

const PIECES = fc.constantFrom(
  ...['a', '{"a":1}', ' ', '\r', '\n', '\n', '\r\n', '\ufeff', '\u2028', '😀', '12345678', '123456789', '\t'],
)

test('are the same however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(PIECES, { maxLength: 30 }),
      fc.array(fc.nat(100), { maxLength: 12 }),
      fc.constantFrom(8, 9, 16, undefined),
      (pieces, cuts, maxBytes) => {
        const bytes = Buffer.from(pieces.join(''))
        const whole = frame(bytes, [], maxBytes)
        expect(frame(bytes, cuts, maxBytes)).toEqual(whole)
        const everyByte = Array.from({ length: bytes.length }, (_, i) => i)
        expect(frame(bytes, everyByte, maxBytes)).toEqual(whole)
        const cap = maxBytes ?? bytes.length
        const expected = pieces
          .join('')
          .split('\n')
          .map((line, i) => {
            const length = Buffer.byteLength(line)
            return length > cap
              ? `${length} bytes`
              : (i === 0 ? line.replace(/^\ufeff/, '') : line).replace(/\r$/, '')
          })
          .filter((line) => !/^[ \t\r]*$/.test(line))
        expect(whole.map(([text]) => text)).toEqual(expected)
      },
    ),
    { seed, numRuns: 2000 },
  )
})

test('a line of 100 MB is skipped without being held, and those around it are not', () => {
  const seen: Seen[] = []
  const framer = new LineFramer(into(seen))
  const chunk = Buffer.alloc(1 << 20, 0x61)
  framer.push(Buffer.from('before\n'))
  global.gc?.()
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let i = 0; i < 100; i++) {
    framer.push(chunk)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  framer.push(Buffer.from('\nafter\n'))
  framer.end()
  const length = 100 * (1 << 20)
  expect(seen).toEqual([
    ['before', 0, 1],
    [`${length} bytes`, 7, 2],
    ['after', 7 + length + 1, 3],
  ])
  // Every buffer it grew through, freed or not, on the way to 16 MiB.
  expect(most).toBeLessThan(64 * (1 << 20))
})

function frameFrom(bytes: Buffer, cuts: readonly number[], from?: LinePlace) {
  const seen: Seen[] = []
  const framer = new LineFramer(into(seen), 12, from)
  let at = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(bytes.length, cut)
    framer.push(bytes.subarray(at, Math.max(at, to)))
    at = Math.max(at, to)
  }
  framer.push(bytes.subarray(at))
  return { seen, framer }
}

test('lines carry their physical numbers: blank and overlong lines count', () => {
  const { seen, framer } = frameFrom(Buffer.from('a\n\n  \r\nthirteen chars\nb\ntail'), [])
  expect(seen).toEqual([
    ['a', 0, 1],
    ['14 bytes', 7, 4],
    ['b', 22, 5],
  ])
  expect(framer.torn).toBe(true)
  expect(framer.next).toEqual({ offset: 24, number: 6 })
})

test('a last line that grows later keeps its number', () => {
  const { framer } = frameFrom(Buffer.from('a\nb'), [])
  framer.end()
  const { seen } = frameFrom(Buffer.from('\nc\n'), [], framer.next)
  expect(seen).toEqual([['c', 4, 3]])
})

test('a reader that goes on from any place between lines sees the rest as the first would have', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', ' ', '', '0123456789abcdef', '\r'), { maxLength: 20 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(120)), fc.array(fc.nat(120)), (lines, cuts, cutsAfter) => {
      const bytes = Buffer.from(lines.join('\n'))
      const whole = frameFrom(bytes, [])
      whole.framer.end()
      const at = cuts.length > 0 ? Math.min(bytes.length, cuts[0]!) : 0
      const first = frameFrom(bytes.subarray(0, at), cuts)
      const place = first.framer.next
      const rest = frameFrom(bytes.subarray(place.offset), cutsAfter, place)
      rest.framer.end()
      expect([...first.seen, ...rest.seen]).toEqual(whole.seen)
    }),
    { seed: seedOf('line-places') },
  )
})
