import { describe, expect, test } from 'vitest'
import { clockTicks, countTicks, dayTicks } from '../../src/html/kit/chart-frame.tsx'
import { dayBins } from '../../src/html/kit/day-bins.ts'
import { shortName } from '../../src/html/kit/parts.tsx'
import { percent, shortNumber } from '../../src/html/kit/words.ts'

function days(from: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(from) + at * 86_400_000).toISOString().slice(0, 10),
  )
}

describe('days in bins', () => {
  test.each([
    [1, 'day', 1],
    [190, 'day', 190],
    [191, 'week', 28],
    [365 * 5, 'month', 60],
    [365 * 20, 'quarter', 80],
    [365 * 90, 'year', 90],
  ])('%i days are shown by %s', (count, size, bars) => {
    const cut = dayBins(days('2004-01-01', count), 190)
    expect([cut.size, cut.bins.length]).toEqual([size, bars])
  })

  test('each day is in exactly the bin whose first and last day enclose it', () => {
    const span = days('2019-12-25', 1500)
    for (const most of [2000, 300, 60, 20, 5]) {
      const { bins, indexOf } = dayBins(span, most)
      const astray = span.filter((day) => {
        const { from, to } = bins[indexOf(day)!]!
        return day < from || day > to
      })
      expect(astray).toEqual([])
      expect(bins.slice(1).every(({ start }, at) => start === bins[at]!.end)).toBe(true)
    }
  })

  test.each([
    ['a day', days('2024-03-13', 1), 130],
    ['days of one week', days('2024-03-13', 3), 1],
    ['a week', days('2024-03-13', 7), 5],
    ['a month', days('2024-03-13', 30), 10],
    ['three years', days('2022-03-13', 3 * 365), 130],
    ['three years in few bars', days('2022-03-13', 3 * 365), 20],
  ])('the bins of %s name no day before the first or after the last', (_, span, most) => {
    const { bins } = dayBins(span, most)
    expect([bins[0]!.from, bins.at(-1)!.to]).toEqual([span[0], span.at(-1)])
    // Together they name each day once.
    const named = bins.flatMap(({ from, to }) =>
      days(from, (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1),
    )
    expect(named).toEqual(span)
  })

  test('weeks begin on Mondays, and what is no day has no bin', () => {
    const { bins, indexOf } = dayBins(['2024-03-13', 'yesterday', '2024-02-30x', '2024-06-30'], 20)
    expect([bins[1]!.from, bins[1]!.to]).toEqual(['2024-03-18', '2024-03-24'])
    expect([indexOf('yesterday'), indexOf('2023-01-01'), dayBins(['x'], 5).bins.length]).toEqual([
      undefined,
      undefined,
      0,
    ])
  })

  test('the widest span of dates stays within the bars that a page can show', () => {
    expect(dayBins(['0001-01-01', '9999-12-31'], 190)).toMatchObject({ size: 'century' })
    expect(dayBins(['0001-01-01', '9999-12-31'], 190).bins.length).toBeLessThan(190)
  })
})

describe('ticks', () => {
  test.each([
    [days('2024-03-01', 1), ['2024-03-01']],
    [days('2024-03-01', 2), ['2024-03-01', '2024-03-02']],
    [days('2024-03-01', 31), ['3 Mar', '10 Mar', '17 Mar', '24 Mar']],
    [days('2023-11-15', 120), ['Dec', '2024', 'Feb', 'Mar']],
  ])('of days (%#)', (some, labels) => {
    expect(dayTicks(dayBins(some, 190).bins).map(({ label }) => label)).toEqual(labels)
  })

  test('of 1 to 20 years are few, distinct and inside of the plot', () => {
    for (let years = 1; years <= 20; years++) {
      const ticks = dayTicks(dayBins(days('2004-05-17', years * 365), 190).bins)
      const narrow = ticks.filter(({ wide }) => !wide)
      expect(ticks.length).toBeGreaterThan(2)
      expect(narrow.length).toBeLessThanOrEqual(6)
      expect(ticks.every(({ at }) => at >= 0 && at <= 100)).toBe(true)
    }
  })

  test('of a run say the date where it changes', () => {
    const start = Date.parse('2024-03-01T22:00:00Z')
    expect(clockTicks(start, start + 2.4 * 3_600_000).map(({ label }) => label)).toEqual([
      '1 Mar 22:00',
      '22:30',
      '23:00',
      '23:30',
      '2 Mar 00:00',
    ])
    expect(clockTicks(start, start)).toHaveLength(1)
    const fine = clockTicks(start, start + 50_000).map(({ label }) => label)
    expect(new Set(fine).size).toBe(fine.length)
    expect(fine[1]).toMatch(/^\d\d:\d\d:05$/)
  })

  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [19_300, [0, 5000, 10_000, 15_000, 20_000]],
  ])('of counts up to %i are whole and reach it', (most, ticks) => {
    expect(countTicks(most)).toEqual(ticks)
  })
})

test('a percentage is whole only if the share is', () => {
  expect([0, 0.0001, 0.25, 0.999, 0.99999, 1, Number.NaN].map(percent)).toEqual([
    '0%',
    '<0.1%',
    '25%',
    '99.9%',
    '>99.9%',
    '100%',
    '–',
  ])
})

test('axis numbers are short', () => {
  expect([0, 9999, 10_000, 1_500_000, 2e9].map(shortNumber)).toEqual(['0', '9,999', '10 k', '1.5 M', '2 G'])
})

test('a name is cut by letters, and what can not be seen is shown', () => {
  expect(shortName('a\u0000b\u202e\ud800')).toBe('a␀b\\u{202e}\\u{d800}')
  expect(shortName('🚀'.repeat(100), 4)).toBe('🚀🚀🚀…')
  expect(shortName('x'.repeat(1e6), 5)).toBe('xxxx…')
})
