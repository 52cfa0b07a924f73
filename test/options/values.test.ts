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

type Read = (text: string) => unknown

test.each<[string, Read, Record<string, unknown>, string[], string]>([
  [
    'a duration',
    duration,
    { '90s': 90_000, '50m': 3_000_000, '1h30m': 5_400_000, '2d': 172_800_000, '250ms': 250 },
    ['', '1', 'h', '1 h', '-1h', '1.5h'],
    'expected a time such as 90s',
  ],
  [
    'a whole number',
    wholeNumber(1),
    { '10000': 10_000, '10_000': 10_000, '20,000,000': 20_000_000 },
    ['', '0', '-1', '1e3', '1.0', '99999999999999999999', '1,00', ' 1'],
    'expected a whole number from 1 on',
  ],
  ['a number of a range', wholeNumber(1, 64), { '64': 64 }, ['65'], 'from 1 to 64'],
  ['a text', text, { a: 'a' }, [''], 'expected a value that is not empty'],
  [
    'hours that divide a day',
    hoursOfDay,
    { '1h': 3_600_000, '24h': 86_400_000 },
    ['0h', '5h', '48h', '90m', '1', ''],
    'expected whole hours that divide a day',
  ],
  [
    'a share',
    ratio,
    { '0': 0, '0.25': 0.25, '1': 1 },
    ['', '1.1', '-0.1', '10%', '0x1', '.', ' 1'],
    'expected a number from 0 to 1',
  ],
  [
    'a time zone',
    timeZone,
    { 'Europe/Vienna': 'Europe/Vienna' },
    ['Vienna', '+02:00', ''],
    'the name of a time zone',
  ],
  [
    'a time',
    (time) => new Date(utcTime(time)).toISOString(),
    {
      '2024-03-01': '2024-03-01T00:00:00.000Z',
      '2024-02-29': '2024-02-29T00:00:00.000Z',
      '2024-03-01T05': '2024-03-01T05:00:00.000Z',
      '2024-03-01T05:30': '2024-03-01T05:30:00.000Z',
      '2024-03-01T05Z': '2024-03-01T05:00:00.000Z',
    },
    [
      ...['2024-02-30', '2023-02-29', '2024-13-01', '2024-03-01T25', '1 March', '', '2024-3-1'],
      '2024-03-01T05+02',
    ],
    'expected a UTC time such as 2024-03-01',
  ],
])('%s', (_, read, sound, wrong, words) => {
  for (const [given, value] of Object.entries(sound)) expect(read(given), given).toBe(value)
  for (const given of wrong) {
    expect(() => read(given), given).toThrow(RangeError)
    expect(() => read(given), given).toThrow(words)
  }
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
