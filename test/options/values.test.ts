import { describe, expect, test } from 'vitest'
import {
  duration,
  hoursOfDay,
  ratio,
  text,
  timeZone,
  utcTime,
  wholeNumber,
} from '../../src/options/values.ts'
import { nearest } from '../../src/text/nearest.ts'

describe('values', () => {
  test.each([
    ['90s', 90_000],
    ['50m', 3_000_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['250ms', 250],
  ])('%s is %i ms', (text, ms) => expect(duration(text)).toBe(ms))

  test.each(['', '1', 'h', '1 h', '-1h', '1.5h'])('%j is no duration', (text) =>
    expect(() => duration(text)).toThrow(RangeError),
  )

  test.each([
    ['10000', 10_000],
    ['10_000', 10_000],
    ['20,000,000', 20_000_000],
  ])('%s is a whole number', (text, number) => expect(wholeNumber(1)(text)).toBe(number))

  test.each(['', '0', '-1', '1e3', '1.0', '99999999999999999999', '1,00', ' 1'])(
    '%j is none from 1 on',
    (text) => expect(() => wholeNumber(1)(text)).toThrow('expected a whole number from 1 on'),
  )

  test('a range is named', () => expect(() => wholeNumber(1, 64)('65')).toThrow('from 1 to 64'))
  test('an empty text is none', () => expect(() => text('')).toThrow('expected a value that is not empty'))

  test.each([
    ['1h', 3_600_000],
    ['24h', 86_400_000],
  ])('%s divides a day', (span, ms) => expect(hoursOfDay(span)).toBe(ms))
  test.each(['0h', '5h', '48h', '90m', '1', ''])('%j divides none', (span) =>
    expect(() => hoursOfDay(span)).toThrow('expected whole hours that divide a day'),
  )

  test.each([
    ['0', 0],
    ['0.25', 0.25],
    ['1', 1],
  ])('%s is a share', (share, number) => expect(ratio(share)).toBe(number))
  test.each(['', '1.1', '-0.1', '10%', '0x1', '.', ' 1'])('%j is none', (share) =>
    expect(() => ratio(share)).toThrow('expected a number from 0 to 1'),
  )

  test('a time zone has a name', () => {
    expect(timeZone('Europe/Vienna')).toBe('Europe/Vienna')
    for (const zone of ['Vienna', '+02:00', ''])
      expect(() => timeZone(zone)).toThrow('the name of a time zone')
  })

  test.each([
    ['2024-03-01', '2024-03-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-03-01T05', '2024-03-01T05:00:00.000Z'],
    ['2024-03-01T05:30', '2024-03-01T05:30:00.000Z'],
    ['2024-03-01T05Z', '2024-03-01T05:00:00.000Z'],
  ])('%s is %s', (text, iso) => expect(new Date(utcTime(text)).toISOString()).toBe(iso))

  test.each([
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-03-01T25',
    '1 March',
    '',
    '2024-3-1',
    '2024-03-01T05+02',
  ])('%j is no time', (text) => expect(() => utcTime(text)).toThrow(RangeError))
})

describe('nearest', () => {
  test.each([
    ['reigon', 'region'],
    ['projectID', 'projectId'],
    ['maxEvent', 'maxEvents'],
    ['zzz', undefined],
  ])('%s: %s', (typed, meant) =>
    expect(nearest(typed, ['region', 'host', 'projectId', 'maxEvents'])).toBe(meant),
  )
})
