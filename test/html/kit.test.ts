import { type ComponentType, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { DayChart } from '../../src/html/kit/day-chart.tsx'
import { Code, shortName } from '../../src/html/kit/parts.tsx'
import { TableView } from '../../src/html/kit/table.tsx'
import { percent, shortNumber } from '../../src/html/kit/words.ts'
import { daysFrom } from '../helpers/report-page-data.ts'

const HOSTILE = '</title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>'

function html<P extends object>(component: ComponentType<P>, props: NoInfer<P>): string {
  return renderToString(h(component, props))
}

/** What each bar says when it is pointed at. */
function barsOf(days: readonly string[], count = 1): string[] {
  const page = html(DayChart, { days: days.map((day) => ({ day, count })) })
  expect(page).not.toMatch(/NaN|Infinity| style=/)
  return [...page.matchAll(/<title>(.*?)<\/title>/g)].map(([, text]) => text!)
}

test('the days of a chart come in order, each with its events, also as a table', () => {
  const page = html(DayChart, {
    days: [
      { day: '2024-03-02', count: 1 },
      { day: 'unknown', count: 7 },
      { day: '2024-03-01', count: 1_000_000 },
    ],
  })
  expect(page).toContain('1,000,001 events from 2024-03-01 to 2024-03-02. Each bar is a day (UTC).')
  // A day of one event is seen beside a day of a million.
  expect(page).toContain('height="1.50"')
  expect(page).toMatch(/<table>.*1,000,000.*<\/table>/s)
})

test.each([
  [1, 'day', 1, '2004-01-01: 2'],
  [130, 'day', 130, '2004-05-09: 2'],
  [131, 'month', 5, '2004-05: 20'],
  [3940, 'month', 130, '2014-10: 28'],
  [4200, 'year', 12, '2015: 364'],
])('%i days are shown by %s', (count, _, bars, last) => {
  const shown = barsOf(daysFrom('2004-01-01', count), 2)
  expect([shown.length, shown.at(-1)]).toEqual([bars, last])
})

test('times that are wrong by centuries are bars too, and no days are no chart', () => {
  expect(barsOf(['0050-01-01', '2024-01-01', '9999-12-31'])).toEqual(['0050: 1', '2024: 1', '9999: 1'])
  expect(barsOf([])).toEqual([])
})

test('tables escape what they show, and separate thousands', () => {
  const columns = [{ label: 'name' }, { label: 'n', align: 'right' as const }]
  const page = [
    html(TableView, { caption: 'c', columns, rows: [[HOSTILE, 1234]] }),
    html(Code, { text: `${HOSTILE}\u0000\nsecond line` }),
  ].join('')
  expect(page).toContain('1,234')
  expect(page).toContain('␀\nsecond line')
  expect(page).not.toMatch(/<(script|img)| style=/)
})

test('a percentage is whole only if the share is, and axis numbers are short', () => {
  expect([0, 0.0001, 0.25, 0.999, 0.99999, 1, Number.NaN].map(percent)).toEqual([
    '0%',
    '<0.1%',
    '25%',
    '99.9%',
    '>99.9%',
    '100%',
    '–',
  ])
  expect([0, 9999, 10_000, 1_500_000, 2e9].map(shortNumber)).toEqual(['0', '10K', '10K', '1.5M', '2B'])
})

test('a name is cut by letters, and what can not be seen is shown', () => {
  expect(shortName('a\u0000b\u202e\ud800')).toBe('a␀b\\u{202e}\\u{d800}')
  expect(shortName('🚀'.repeat(100), 4)).toBe('🚀🚀🚀…')
  expect(shortName('x'.repeat(1e6), 5)).toBe('xxxx…')
})
