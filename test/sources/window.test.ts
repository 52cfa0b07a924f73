import { expect, test } from 'vitest'
import { DAY_MS, formatUtc, HOUR_MS, parseUtc, windowsOf } from '../../src/sources/window.ts'

test.each([
  ['2024-03-01', '2024-03-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2024-03-01T05', '2024-03-01T05:00:00.000Z'],
  ['2024-03-01T05:30', '2024-03-01T05:30:00.000Z'],
  ['2024-03-01T05Z', '2024-03-01T05:00:00.000Z'],
])('%s is %s', (text, iso) => expect(new Date(parseUtc(text)).toISOString()).toBe(iso))

test.each([
  '2024-02-30',
  '2023-02-29',
  '2024-13-01',
  '2024-03-01T25',
  '1 March',
  '',
  '2024-3-1',
  '2024-03-01T05+02',
])('%j is no time', (text) => expect(() => parseUtc(text)).toThrow(RangeError))

test('windows are half open, oldest first, and named by where they begin', () => {
  const days = windowsOf(parseUtc('2024-02-28'), parseUtc('2024-03-02'), DAY_MS)
  expect(days.map((window) => window.name)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
  expect(days.at(-1)!.end).toBe(parseUtc('2024-03-02'))
  const hours = windowsOf(parseUtc('2024-02-29T22'), parseUtc('2024-03-01T01'), HOUR_MS)
  expect(hours.map((window) => window.name)).toEqual(['2024-02-29T22', '2024-02-29T23', '2024-03-01T00'])
})

test.each([
  ['2024-03-01T05', '2024-03-02', DAY_MS, 'inside a window'],
  ['2024-03-01', '2024-03-01T05', DAY_MS, 'inside a window'],
  ['2024-03-01T05:30', '2024-03-02', HOUR_MS, 'inside a window'],
  ['2024-03-02', '2024-03-02', DAY_MS, 'not before'],
  ['2024-03-03', '2024-03-02', DAY_MS, 'not before'],
])('refuses %s to %s', (from, to, span, words) => {
  expect(() => windowsOf(parseUtc(from), parseUtc(to), span)).toThrow(words)
})

test('times are written as short as they are read', () => {
  for (const text of ['2024-03-01', '2024-03-01T05']) expect(formatUtc(parseUtc(text))).toBe(text)
})
