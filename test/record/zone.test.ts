import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatInstant, parseTime } from '../../src/record/time.ts'
import { clockChange, isNearChange, isTimeZone, zoneOffsetMicros } from '../../src/record/zone.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('zone')

describe('a wall clock', () => {
  test.each<[about: string, wall: string, zone: string, utc: string]>([
    ['in winter', '2024-01-15 12:00:00', 'America/New_York', '2024-01-15T17:00:00.000000Z'],
    ['in summer', '2024-07-15 12:00:00.000001', 'America/New_York', '2024-07-15T16:00:00.000001Z'],
    ['before the gap', '2024-03-10 01:59:59.999999', 'America/New_York', '2024-03-10T06:59:59.999999Z'],
    [
      'in the gap, by the offset before it',
      '2024-03-10 02:30:00',
      'America/New_York',
      '2024-03-10T07:30:00.000000Z',
    ],
    ['after the gap', '2024-03-10 03:00:00', 'America/New_York', '2024-03-10T07:00:00.000000Z'],
    ['before the overlap', '2024-11-03 00:59:59', 'America/New_York', '2024-11-03T04:59:59.000000Z'],
    ['in the overlap, the first', '2024-11-03 01:30:00', 'America/New_York', '2024-11-03T05:30:00.000000Z'],
    ['after the overlap', '2024-11-03 02:00:00', 'America/New_York', '2024-11-03T07:00:00.000000Z'],
    ['in a European gap', '2024-03-31 02:30:00', 'Europe/Vienna', '2024-03-31T01:30:00.000000Z'],
    ['in a European overlap', '2024-10-27 02:30:00', 'Europe/Vienna', '2024-10-27T00:30:00.000000Z'],
    [
      'with half an hour of summer time',
      '2024-04-07 01:45:00',
      'Australia/Lord_Howe',
      '2024-04-06T14:45:00.000000Z',
    ],
    [
      'after a gap that begins at 00:01',
      '2007-03-11 01:01:00.000001',
      'America/St_Johns',
      '2007-03-11T03:31:00.000001Z',
    ],
    [
      'in the gap that begins at 00:01',
      '2007-03-11 00:01:00',
      'America/St_Johns',
      '2007-03-11T03:31:00.000000Z',
    ],
    ['at the minute before it', '2007-03-11 00:00:59', 'America/St_Johns', '2007-03-11T03:30:59.000000Z'],
    ['at a quarter', '2024-06-01 00:00:00', 'Asia/Kathmandu', '2024-05-31T18:15:00.000000Z'],
    ['that skipped a day', '2011-12-31 00:00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000000Z'],
    ['fourteen hours ahead', '2024-06-01 00:00:00', 'Pacific/Kiritimati', '2024-05-31T10:00:00.000000Z'],
    ['of UTC', '2024-06-01 00:00:00', 'UTC', '2024-06-01T00:00:00.000000Z'],
  ])('%s', (_, wall, zone, utc) => expect(formatInstant(parseTime(wall, zone))).toBe(utc))

  test('does not matter where the text has an offset or is a number', () => {
    expect(parseTime('2024-07-15 12:00:00Z', 'America/New_York')).toBe(Date.UTC(2024, 6, 15, 12) * 1000)
    expect(parseTime('2024-07-15 12:00:00+01', 'America/New_York')).toBe(Date.UTC(2024, 6, 15, 11) * 1000)
    expect(parseTime('1721044800', 'America/New_York')).toBe(1_721_044_800_000_000)
  })

  test('of no zone is an error', () => {
    expect(() => parseTime('2024-07-15 12:00:00', 'Mars/Olympus')).toThrow(RangeError)
  })
})

const ZONES = [
  ...['America/New_York', 'America/Sao_Paulo', 'America/St_Johns', 'Europe/Vienna', 'Europe/London'],
  ...`Asia/Kolkata Asia/Kathmandu Australia/Lord_Howe Pacific/Chatham Pacific/Apia Africa/Casablanca`.split(
    /\s+/,
  ),
]

test('gives back every instant from what the clock showed, the first of two in an overlap', () => {
  const formats = new Map(
    ZONES.map((zone) => [
      zone,
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
    ]),
  )
  /** What the clock shows at an instant, as if it were UTC; by the platform's own calendar. */
  const wallAt = (second: number, zone: string) =>
    Date.parse(
      `${formats
        .get(zone)!
        .format(second * 1000)
        .replace(' ', 'T')}Z`,
    ) / 1000
  const seconds = fc.integer({ min: Date.UTC(1995, 0, 1) / 1000, max: Date.UTC(2036, 0, 1) / 1000 })
  let overlaps = 0
  fc.assert(
    fc.property(seconds, fc.constantFrom(...ZONES), (second, zone) => {
      const wall = wallAt(second, zone)
      const utc = wall - zoneOffsetMicros(wall * 1e6, zone) / 1e6
      if (utc === second) return
      overlaps++
      // Another instant, and earlier, at which the clock showed the very same.
      expect(wallAt(utc, zone)).toBe(wall)
      expect(utc).toBeLessThan(second)
    }),
    { seed, numRuns: 3000 },
  )
  expect(overlaps).toBeLessThan(30)
})

describe('what the clocks of a zone did with a time', () => {
  test.each<[wall: string, zone: string, change: 'twice' | 'skipped' | undefined]>([
    ['2024-03-31 01:59:59', 'Europe/Vienna', undefined],
    ['2024-03-31 02:00:00', 'Europe/Vienna', 'skipped'],
    ['2024-03-31 02:59:59', 'Europe/Vienna', 'skipped'],
    ['2024-03-31 03:00:00', 'Europe/Vienna', undefined],
    ['2024-10-27 01:59:59', 'Europe/Vienna', undefined],
    ['2024-10-27 02:00:00', 'Europe/Vienna', 'twice'],
    ['2024-10-27 02:59:59', 'Europe/Vienna', 'twice'],
    ['2024-10-27 03:00:00', 'Europe/Vienna', undefined],
    ['2024-03-31 01:30:00', 'Europe/London', 'skipped'],
    ['2024-04-07 01:45:00', 'Australia/Lord_Howe', 'twice'],
    ['2024-10-06 02:15:00', 'Australia/Lord_Howe', 'skipped'],
    // A day that never was: Samoa crossed the line of dates.
    ['2011-12-30 12:00:00', 'Pacific/Apia', 'skipped'],
    ['2011-12-29 23:59:59', 'Pacific/Apia', undefined],
    ['2024-06-30 12:00:00', 'Asia/Tokyo', undefined],
  ])('%s in %s: %s', (text, zone, change) => {
    const wall = parseTime(text)
    expect(clockChange(wall, zone)).toBe(change)
    expect(isNearChange(wall - zoneOffsetMicros(wall, zone), zone) || change === undefined).toBe(true)
  })
})

test('letters that several places use for their clocks are no zone', () => {
  for (const name of ['BST', 'IST', 'AST', 'EST', 'PST', 'CST', 'ECT', 'est', 'SST'])
    expect(isTimeZone(name)).toBe(false)
  for (const name of ['UTC', 'GMT', 'CET', 'EST5EDT', 'Europe/London', 'GB'])
    expect(isTimeZone(name)).toBe(true)
})
