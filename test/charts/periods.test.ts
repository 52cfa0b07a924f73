import { expect, test } from 'vitest'
import type { ChartInterval } from '../../src/charts/chart.ts'
import { periodOf, periodsOf, spanDays } from '../../src/charts/periods.ts'

test.each<[ChartInterval, string, string, string[]]>([
  ['day', '2024-02-28', '2024-03-01', ['2024-02-28', '2024-02-29', '2024-03-01']],
  // A Friday to a Sunday: the week that begins before the span is cut.
  ['week', '2024-03-01', '2024-03-17', ['2024-03-04', '2024-03-11']],
  ['week', '2024-03-04', '2024-03-10', ['2024-03-04']],
  ['week', '2024-03-05', '2024-03-17', ['2024-03-11']],
  ['week', '2024-03-04', '2024-03-09', []],
  ['month', '2024-01-31', '2024-03-31', ['2024-02-01', '2024-03-01']],
  ['month', '2023-12-01', '2024-01-30', ['2023-12-01']],
  ['whole', '2024-01-31', '2024-03-31', ['2024-01-31']],
])('the whole %ss from %s to %s', (interval, first, last, expected) => {
  const periods = periodsOf({ first, last }, interval)
  expect(periods.map((period) => period.first)).toEqual(expected)
  expect(periods.every((period) => period.first >= first && period.last <= last)).toBe(true)
})

test('a period ends on the day before the next', () => {
  expect(periodsOf({ first: '2023-12-31', last: '2024-02-29' }, 'month')).toEqual([
    { first: '2024-01-01', last: '2024-01-31' },
    { first: '2024-02-01', last: '2024-02-29' },
  ])
  expect(spanDays({ first: '2024-02-01', last: '2024-03-01' })).toBe(30)
})

test('a Sunday is the last day of its week', () => {
  expect(periodOf('2024-03-10', 'week')).toBe('2024-03-04')
  expect(periodOf('2024-03-11', 'week')).toBe('2024-03-11')
  expect(periodOf('2024-02-29', 'month')).toBe('2024-02-01')
})
