import { expect, test } from 'vitest'
import { utcTime } from '../../src/options/values.ts'
import { formatUtc, windowsOf } from '../../src/sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../src/text/units.ts'

test('windows are half open, oldest first, and named by where they begin', () => {
  const days = windowsOf(utcTime('2024-02-28'), utcTime('2024-03-02'), MS_PER_DAY)
  expect(days.map((window) => window.name)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
  expect(days.at(-1)!.end).toBe(utcTime('2024-03-02'))
  const hours = windowsOf(utcTime('2024-02-29T22'), utcTime('2024-03-01T01'), MS_PER_HOUR)
  expect(hours.map((window) => window.name)).toEqual(['2024-02-29T22', '2024-02-29T23', '2024-03-01T00'])
})

test.each([
  ['2024-03-01T05', '2024-03-02', MS_PER_DAY, 'inside a window'],
  ['2024-03-01', '2024-03-01T05', MS_PER_DAY, 'inside a window'],
  ['2024-03-01T05:30', '2024-03-02', MS_PER_HOUR, 'inside a window'],
  ['2024-03-02', '2024-03-02', MS_PER_DAY, 'not before'],
  ['2024-03-03', '2024-03-02', MS_PER_DAY, 'not before'],
])('refuses %s to %s', (from, to, span, words) => {
  expect(() => windowsOf(utcTime(from), utcTime(to), span)).toThrow(words)
})

test('no window ends after what can be had', () => {
  const [from, to] = [utcTime('2024-03-01'), utcTime('2024-03-03')]
  expect(windowsOf(from, to, MS_PER_DAY, to)).toHaveLength(2)
  expect(() => windowsOf(from, to, MS_PER_DAY, to - 1)).toThrow('data can be exported until 2024-03-02')
})

test('times are written as short as they are read', () => {
  for (const text of ['2024-03-01', '2024-03-01T05']) expect(formatUtc(utcTime(text))).toBe(text)
})
