import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/nearest.ts'
import { duration, oneOf, wholeNumber } from '../../src/options/values.ts'

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
  test('one of', () => expect(() => oneOf('us', 'eu')('asia')).toThrow('expected us or eu'))
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
