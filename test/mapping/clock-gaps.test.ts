import { describe, expect, test } from 'vitest'
import { ClockGaps } from '../../src/mapping/clock-gaps.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { makeEngine } from '../presets/map-one.ts'

const HOUR = 3_600_000_000

/** Gaps of so many hours each, with the seconds that a delivery takes. */
function gaps(...hours: ReadonlyArray<readonly [hours: number, count: number]>) {
  const found = new ClockGaps()
  for (const [gap, count] of hours)
    for (let i = 0; i < count; i++) found.add(gap * HOUR + (i % 240) * 1_000_000)
  return found.foreign()
}

describe('a zone', () => {
  test.each([
    [[[5, 100]], ['-05:00']],
    [[[-5.5, 200]], ['+05:30']],
    [[[-5.75, 200]], ['+05:45']],
    [
      [
        [5, 80],
        [4, 120],
      ],
      ['-04:00', '-05:00'],
    ],
    [
      [
        [-1, 80],
        [-2, 70],
        [30, 50],
      ],
      ['+02:00', '+01:00'],
    ],
    [
      [
        [8, 60],
        [0, 5],
        [9.25, 20],
        [300, 20],
      ],
      ['-08:00'],
    ],
  ] as const)('%j is a clock at %j', (hours, offsets) => {
    expect(gaps(...hours)?.offsets.toSorted()).toEqual(offsets.toSorted())
  })

  test.each([
    ['UTC', [[0, 1000]]],
    [
      'UTC with late deliveries',
      [
        [0, 100],
        [1, 30],
        [2, 30],
        [5, 30],
        [20, 30],
      ],
    ],
    ['too few records', [[5, 99]]],
    ['an import long after', [[900, 1000]]],
    [
      'gaps that agree on nothing',
      [
        [1, 50],
        [3, 50],
        [7, 50],
        [11, 50],
      ],
    ],
    ['nothing at all', []],
  ] as const)('%s is none', (_, hours) => {
    expect(gaps(...hours)).toBeUndefined()
  })

  test('says how many records agree', () => {
    expect(gaps([5, 150], [40, 50])).toEqual({ offsets: ['-05:00'], records: 150, of: 200 })
  })
})

test.each([
  [undefined, 5 * HOUR + 250_000],
  ['America/New_York', 250_000],
])(
  "Mixpanel's receipt is that much later than a winter time in New York, read in %s",
  (sourceTimezone, gap) => {
    const record = {
      event: 'E',
      properties: { time: 1705320000, $mp_api_timestamp_ms: 1705338000250, distinct_id: 'u' },
    }
    const engine = makeEngine(mixpanel, { sourceTimezone })
    const line = Buffer.from(JSON.stringify(record))
    const mapped = engine.map(line, 0, line.length)
    expect(mapped.status === 'event' && engine.clockGap(mapped.instant)).toBe(gap)
  },
)
