import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineFramer, type LinePlace } from '../../src/record/lines.ts'
import { seedOf } from '../helpers/seed.ts'

type Seen = [text: string, offset: number, number: number]

function frame(bytes: Buffer, cuts: readonly number[], from?: LinePlace) {
  const seen: Seen[] = []
  const framer = new LineFramer(
    {
      line: (line, start, end, offset, number) =>
        seen.push([line.toString('latin1', start, end), offset, number]),
      tooLong: (offset, length, number) => seen.push([`${length} bytes`, offset, number]),
    },
    12,
    from,
  )
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
  const { seen, framer } = frame(Buffer.from('a\n\n  \r\nthirteen chars\nb\ntail'), [])
  expect(seen).toEqual([
    ['a', 0, 1],
    ['14 bytes', 7, 4],
    ['b', 22, 5],
  ])
  expect(framer.torn).toBe(true)
  expect(framer.next).toEqual({ offset: 24, number: 6 })
})

test('a last line that grows later keeps its number', () => {
  const { framer } = frame(Buffer.from('a\nb'), [])
  framer.end()
  const { seen } = frame(Buffer.from('\nc\n'), [], framer.next)
  expect(seen).toEqual([['c', 4, 3]])
})

test('a reader that goes on from any place between lines sees the rest as the first would have', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', ' ', '', '0123456789abcdef', '\r'), { maxLength: 20 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(120)), fc.array(fc.nat(120)), (lines, cuts, cutsAfter) => {
      const bytes = Buffer.from(lines.join('\n'))
      const whole = frame(bytes, [])
      whole.framer.end()
      const at = cuts.length > 0 ? Math.min(bytes.length, cuts[0]!) : 0
      const first = frame(bytes.subarray(0, at), cuts)
      const place = first.framer.next
      const rest = frame(bytes.subarray(place.offset), cutsAfter, place)
      rest.framer.end()
      expect([...first.seen, ...rest.seen]).toEqual(whole.seen)
    }),
    { seed: seedOf('line-places') },
  )
})
