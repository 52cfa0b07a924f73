import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dayOf,
  dayText,
  formatInstant,
  isNumericTime,
  parseTime,
  writeInstant,
} from '../../src/record/time.ts'
import { MICROS_PER_DAY } from '../../src/text/units.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('time')
/** The year 2255: from there on a number no longer holds every microsecond. */
const LAST = Number.MAX_SAFE_INTEGER

const INSTANTS = fc.oneof(
  fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) * 1000 }),
  fc.maxSafeNat(),
  // The edges of days.
  fc.tuple(fc.integer({ min: 0, max: 60_000 }), fc.constantFrom(-1, 0, 1)).map(([day, by]) => {
    return Math.max(0, day * MICROS_PER_DAY + by)
  }),
)

function written(instant: number): string {
  const bytes = Buffer.alloc(29, '~')
  writeInstant(bytes, 1, instant)
  expect([bytes[0], bytes[28]]).toEqual([0x7e, 0x7e])
  return bytes.toString('latin1', 1, 28)
}

/** The same by the platform, which knows milliseconds. */
function iso(instant: number): string {
  const micros = String(instant % 1000).padStart(3, '0')
  return `${new Date(Math.floor(instant / 1000)).toISOString().slice(0, 23)}${micros}Z`
}

describe('parseTime', () => {
  test.each<[string, string]>([
    ['2024-03-01T12:34:56.789123Z', '2024-03-01T12:34:56.789123Z'],
    ['2024-03-01T12:34:56Z', '2024-03-01T12:34:56.000000Z'],
    ['2024-03-01T12:34:56z', '2024-03-01T12:34:56.000000Z'],
    ['2024-03-01T12:34Z', '2024-03-01T12:34:00.000000Z'],
    ['2024-03-01 12:34:56', '2024-03-01T12:34:56.000000Z'],
    ['2024-03-01 12:34:56.1', '2024-03-01T12:34:56.100000Z'],
    ['2024-03-01 12:34:56,25 UTC', '2024-03-01T12:34:56.250000Z'],
    ['2024-03-01 12:34:56.123456 UTC', '2024-03-01T12:34:56.123456Z'],
    ['2024-03-01 12:34:56.123456789Z', '2024-03-01T12:34:56.123456Z'],
    ['2024-03-01T12:34:56+02:00', '2024-03-01T10:34:56.000000Z'],
    ['2024-03-01T12:34:56.5-0530', '2024-03-01T18:04:56.500000Z'],
    ['2024-03-01T12:34:56+05', '2024-03-01T07:34:56.000000Z'],
    ['2024-03-01T00:00:00+14:00', '2024-02-29T10:00:00.000000Z'],
    ['2024-12-31T23:59:59-00:01', '2025-01-01T00:00:59.000000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
    ['2024-03-01t12:34:56z', '2024-03-01T12:34:56.000000Z'],
    ['2024-03-01t12:34:56.5+02:00', '2024-03-01T10:34:56.500000Z'],
    ['2024-03-01T12:34:56Z[UTC]', '2024-03-01T12:34:56.000000Z'],
    ['2024-03-01T12:34:56.5+01:00[Europe/Paris]', '2024-03-01T11:34:56.500000Z'],
    ['1709296496', '2024-03-01T12:34:56.000000Z'],
    ['1709296496.789', '2024-03-01T12:34:56.789000Z'],
    ['1709296496.7891239', '2024-03-01T12:34:56.789123Z'],
    ['1709296496789', '2024-03-01T12:34:56.789000Z'],
    ['1709296496789.1234', '2024-03-01T12:34:56.789123Z'],
    ['1709296496789123', '2024-03-01T12:34:56.789123Z'],
    ['1709296496789123.9', '2024-03-01T12:34:56.789123Z'],
    ['9999999999', '2286-11-20T17:46:39.000000Z'],
    ['10000000000', '1970-04-26T17:46:40.000000Z'],
    ['9999999999.5', '2286-11-20T17:46:39.500000Z'],
    ['10000000000.5', '1970-04-26T17:46:40.000500Z'],
    ['10000000000000', '1970-04-26T17:46:40.000000Z'],
    ['0', '1970-01-01T00:00:00.000000Z'],
  ])('%s', (text, expected) => expect(formatInstant(parseTime(text))).toBe(expected))

  test.each([
    ['20240301', 'time_format: YYYYMMDD, or, for a number since 1970, epoch_s'],
    ['202403011000', 'time_format: YYYYMMDDHHmm, or, for a number since 1970, epoch_ms'],
    ['20240301100000', 'time_format: YYYYMMDDHHmmss, or, for a number since 1970, epoch_us'],
    ['19991231235959', 'time_format: YYYYMMDDHHmmss'],
  ])('%s is a date as well as a moment before 2005', (text, words) =>
    expect(() => parseTime(text)).toThrow(`${text} reads as a date: say ${words}`),
  )

  test.each(['20241301', '20230229', '202403012460', '20240301106000', '1103900400', '20240301000000000'])(
    '%s is a number of units since 1970 and nothing else',
    (text) => expect(parseTime(text)).toBeGreaterThan(0),
  )

  test.each([
    ...['2024-03-01T25:61:00Z', '2024-03-01 25:61', '2024-03-01T24:00:00Z', '2024-03-01T12:60:00Z'],
    ...['2024-03-01T12:34:60Z', '2024-02-30T00:00:00Z', '2023-02-29T00:00:00Z', '1900-02-29T00:00:00Z'],
    ...['2024-13-01T00:00:00Z', '2024-00-01T00:00:00Z', '2024-01-00T00:00:00Z', '2024-04-31T00:00:00Z'],
    ...['2024-03-01', '2024-3-1T00:00:00Z', '01.03.2024 12:00', '03/01/2024', 'yesterday', 'now', ''],
    ...['2024-03-01T12:34:56+24:00', '2024-03-01T12:34:56+02:60', '2024-03-01T12:34:56 CET'],
    ...['2024-03-01T12:34:56.Z', '2024-03-01T12:34:56Zx', ' 2024-03-01T12:34:56Z', '2024-03-01T12:34:56Z\n'],
    ...['1e9', '0x10', '12:34', '1.', '.5', '--5', 'NaN', 'Infinity', '1_000', '١٢٣', '20240301T123456Z'],
  ])('refuses %j', (text) => expect(() => parseTime(text)).toThrow(RangeError))

  test('before the epoch is negative', () => {
    expect(parseTime('1969-12-31T23:59:59.999999Z')).toBe(-1)
    expect(parseTime('-1.5')).toBe(-1_500_000)
    expect(parseTime('0001-01-01T00:00:00Z')).toBe(
      Date.UTC(1, 0, 1) * 1000 - (1900 * 365 + 460) * MICROS_PER_DAY,
    )
  })

  test('reads what formatInstant writes, at every microsecond', () => {
    fc.assert(
      fc.property(INSTANTS, (instant) => {
        expect(parseTime(formatInstant(instant))).toBe(instant)
        expect(parseTime(formatInstant(instant).replace('T', ' ').replace('Z', ''))).toBe(instant)
        expect(parseTime(formatInstant(instant), 'Asia/Kolkata')).toBe(instant)
      }),
      { seed, numRuns: 3000 },
    )
  })

  test('agrees with Date on milliseconds and offsets', () => {
    fc.assert(
      fc.property(INSTANTS, fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (instant, minutes) => {
        const millis = Math.floor(instant / 1000)
        const sign = minutes < 0 ? '-' : '+'
        const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const offset = `${sign}${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`
        const text = new Date(millis).toISOString().replace('Z', offset)
        expect(parseTime(text)).toBe((millis - minutes * 60_000) * 1000)
      }),
      { seed, numRuns: 1000 },
    )
  })

  test('reads an epoch the same in seconds, milliseconds and microseconds', () => {
    const since1971 = fc.integer({ min: 10_000_000 * 1_000_000, max: LAST })
    fc.assert(
      fc.property(since1971, (micros) => {
        const digits = String(micros)
        expect(parseTime(digits)).toBe(micros)
        expect(parseTime(`${digits.slice(0, -6)}.${digits.slice(-6)}`)).toBe(micros)
        if (micros >= 10_000_000_000_000)
          expect(parseTime(`${digits.slice(0, -3)}.${digits.slice(-3)}`)).toBe(micros)
      }),
      { seed, numRuns: 1000 },
    )
  })

  test('tells bare numbers', () => {
    expect(['1709296496', '-1', '1.5'].map(isNumericTime)).toEqual([true, true, true])
    expect(['2024-03-01T00:00:00Z', '1e9', ''].map(isNumericTime)).toEqual([false, false, false])
  })
})

test('instants are written as the platform writes them, whatever was written before', () => {
  const isRight = (instant: number) => {
    expect(written(instant)).toBe(iso(instant))
    expect(formatInstant(instant)).toBe(iso(instant))
  }
  fc.assert(
    fc.property(fc.array(INSTANTS, { minLength: 1, maxLength: 6 }), (instants) => instants.forEach(isRight)),
    { seed, numRuns: 1500 },
  )
  for (const instant of [0, LAST, 1, MICROS_PER_DAY - 1, MICROS_PER_DAY]) isRight(instant)
})

test('instants before 1970 and after 2255 are text too, and what is no instant is a RangeError', () => {
  expect(formatInstant(-1)).toBe('1969-12-31T23:59:59.999999Z')
  expect(formatInstant(Date.UTC(9000, 0, 1) * 1000)).toBe('9000-01-01T00:00:00.000000Z')
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY, 1e30])
    expect(() => formatInstant(none)).toThrow(RangeError)
})

test('days are those of the text', () => {
  fc.assert(
    fc.property(INSTANTS, (instant) => {
      expect(dayText(dayOf(instant))).toBe(formatInstant(instant).slice(0, 10))
    }),
    { seed, numRuns: 1000 },
  )
})
