import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Segment, SegmentTable } from '../../../src/transform/run/frame.ts'
import { groupByDay } from '../../helpers/histories.ts'
import { seedOf } from '../../helpers/random.ts'

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const segment: fc.Arbitrary<Segment> = fc.record({
  day: fc.integer({ min: -3, max: 9 }),
  file: fc.constantFrom('unit-000000-0.run', 'unit-000001-0.run', 'unit-000001-0-5.run'),
  offset: word,
  bytes: word,
  crc: word,
  linesCrc: word,
  events: fc.integer({ min: 1, max: 2 ** 15 }),
  alone: fc.boolean(),
})

test('the segments of a day come back as they were, in the order of their pieces, whatever the order of adding', () => {
  const seed = seedOf('segments')
  fc.assert(
    fc.property(fc.array(fc.array(segment)), fc.infiniteStream(fc.nat()), (pieces, random) => {
      const table = new SegmentTable()
      const order = [...pieces.entries()].map((entry) => ({ entry, at: random.next().value as number }))
      for (const { entry } of order.sort((a, b) => a.at - b.at)) table.add(...entry)
      const days = groupByDay(pieces.flat())
      expect(table.days).toEqual(days.map(([day]) => day))
      for (const [day, segments] of days) {
        expect(table.of(day)).toEqual(segments)
        expect(table.eventsOf(day)).toBe(segments.reduce((sum, { events }) => sum + events, 0))
      }
      expect(table.bytes).toBe(pieces.flat().reduce((sum, { bytes }) => sum + bytes, 0))
      expect([table.of(1000), table.eventsOf(1000)]).toEqual([[], 0])
    }),
    { seed },
  )
})

test('a hundred thousand segments of 3,000 days take little memory', () => {
  const table = new SegmentTable()
  const before = process.memoryUsage()
  const rest = { offset: 0, bytes: 100, crc: 4e9, linesCrc: 4e9, events: 3, alone: false }
  for (let piece = 0; piece < 34; piece++) {
    const file = `unit-${piece}.run`
    table.add(
      piece,
      Array.from({ length: 3000 }, (_, day) => ({ ...rest, day, file })),
    )
  }
  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(4e6)
  expect(table.of(17)).toHaveLength(34)
  expect(table.of(17)[33]).toEqual({ ...rest, day: 17, file: 'unit-33.run' })
})
