import { expect, test } from 'vitest'
import { missingDays } from '../../src/checks/missing-days.ts'

const DAY = 86_400_000
/** 2024-01-01 is a Monday. */
function daysFrom(count: number, events: (n: number, weekday: number) => number): Record<string, number> {
  const start = Date.UTC(2024, 0, 1)
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      new Date(start + n * DAY).toISOString().slice(0, 10),
      events(n, n % 7),
    ]),
  )
}

test.each([
  ['no day', {}, []],
  ['one day', { '2024-01-01': 5 }, []],
  ['every day', daysFrom(60, () => 100), []],
  [
    'a hole among busy days',
    daysFrom(60, (n) => (n === 20 || n === 21 ? 0 : 100)),
    [{ first: '2024-01-21', last: '2024-01-22', days: 2, isOdd: true }],
  ],
  [
    'a month among busy months',
    daysFrom(90, (n) => (n >= 31 && n < 60 ? 0 : 100)),
    [{ first: '2024-02-01', last: '2024-02-29', days: 29, isOdd: true }],
  ],
  [
    'a hole between two days',
    { '2024-01-01': 100, '2024-01-03': 100 },
    [{ first: '2024-01-02', last: '2024-01-02', days: 1, isOdd: true }],
  ],
  [
    'days that few use: none is odd',
    daysFrom(5, (n) => (n === 2 ? 0 : 9)),
    [{ first: '2024-01-03', last: '2024-01-03', days: 1, isOdd: false }],
  ],
  [
    'ten events are enough to be missed',
    daysFrom(60, (n) => (n === 30 ? 0 : 10)),
    [{ first: '2024-01-31', last: '2024-01-31', days: 1, isOdd: true }],
  ],
  [
    'a day of 1970, which is no part of the span',
    { '1970-01-05': 100, '2024-01-01': 100, '2024-01-02': 100 },
    [],
  ],
])('%s', (_, days, expected) => expect(missingDays(days)).toEqual(expected))

test('a product that is used at weekends only, or never then, has no odd hole', () => {
  for (const isUsed of [(day: number) => day >= 5, (day: number) => day < 5]) {
    const holes = missingDays(daysFrom(70, (_, day) => (isUsed(day) ? 500 : 0)))
    expect(holes.length).toBeGreaterThan(8)
    expect(holes.filter(({ isOdd }) => isOdd)).toEqual([])
  }
})

test('a working day that is missing there is odd', () => {
  const holes = missingDays(daysFrom(70, (n, day) => (day < 5 && n !== 30 ? 500 : 0)))
  expect(holes.filter(({ isOdd }) => isOdd)).toEqual([
    { first: '2024-01-31', last: '2024-01-31', days: 1, isOdd: true },
  ])
})
