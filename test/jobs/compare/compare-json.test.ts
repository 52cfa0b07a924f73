import { expect, test } from 'vitest'
import type { Chart } from '../../../src/charts/chart.ts'
import { compareText } from '../../../src/cli/text/compare.ts'
import type { ExplainedCell } from '../../../src/compare/chain.ts'
import { compareJson } from '../../../src/jobs/compare/compare-json.ts'
import type { ComparedChart } from '../../../src/jobs/compare/compared.ts'
import { compareResult } from '../../../src/jobs/compare/result.ts'

const chart = (name: string, measure: 'count' | 'unique'): Chart => ({
  name,
  query: { kind: 'series', measure, event: name, where: [], property: null, interval: 'day', by: null },
  report: null,
})
const cell = (
  at: string,
  numbers: readonly [number, number, number],
  more: Partial<ExplainedCell> = {},
): ExplainedCell => ({
  at,
  by: null,
  vendor: numbers[0],
  dataset: numbers[1],
  posthog: numbers[2],
  parts: [],
  unexplained: 0,
  ...more,
})
const compared = (of: Chart, ...cells: ExplainedCell[]): ComparedChart => ({
  chart: of,
  cells,
  unanswered: [],
  estimated: false,
  notes: [],
})
const subject = {
  datasets: ['events'],
  with: 'mixpanel',
  span: { first: '2024-03-01', last: '2024-03-31' },
  zones: { vendor: 'America/New_York', posthog: 'UTC' },
  tolerance: { events: 0, people: 0.01 },
  asked: [],
  notes: ['the raw records were not read'],
}
const LOST = cell('2024-03-02', [100, 95, 93], {
  parts: [
    ['rejected', -5],
    ['service', -2],
  ],
  unexplained: 2,
})

test('the headline is the chart with most unexplained, events before people, and it decides', () => {
  const result = compareJson({
    ...subject,
    charts: [
      compared(
        chart('people', 'unique'),
        cell('2024-03-01', [100, 100, 90], { parts: [['service', -10]], unexplained: 10 }),
      ),
      compared(chart('same', 'count'), cell('2024-03-01', [1, 1, 1])),
      compared(chart('lost', 'count'), cell('2024-03-01', [50, 50, 50]), LOST),
    ],
  })
  expect(compareResult.parse(result)).toEqual(result)
  expect(result).toMatchObject({
    equal: false,
    unexplained: { chart: 'lost', amount: 2, share: 2 / 150, charts: 2 },
    charts: [
      { name: 'lost', cells: [{ at: '2024-03-02' }] },
      { name: 'people' },
      { name: 'same', equal: true, cells: [] },
    ],
  })
  expect(result.causes.map(({ cause, amount, chart: of, charts }) => [cause, amount, of, charts])).toEqual([
    ['service', 10, 'people', 2],
    ['rejected', 5, 'lost', 1],
  ])
})

test('people may differ by their tolerance, events by none', () => {
  const off = (measure: 'count' | 'unique') =>
    compareJson({
      ...subject,
      charts: [
        compared(
          chart('a', measure),
          cell('2024-03-01', [1000, 1000, 995], { parts: [['service', -5]], unexplained: 5 }),
        ),
      ],
    })
  expect([off('unique').equal, off('count').equal]).toEqual([true, false])
  expect(off('unique').unexplained).toMatchObject({ amount: 5, charts: 0 })
})

test('differences up and down do not hide each other', () => {
  const up = cell('2024-03-01', [10, 10, 14], { parts: [['service', 4]], unexplained: 4 })
  const down = cell('2024-03-02', [10, 10, 6], { parts: [['service', -4]], unexplained: 4 })
  const [found] = compareJson({ ...subject, charts: [compared(chart('a', 'count'), up, down)] }).charts
  expect(found).toMatchObject({
    numbers: { vendor: 20, posthog: 20 },
    unexplained: { amount: 8, cells: 2 },
    equal: false,
  })
  expect(found!.causes).toMatchObject([{ cause: 'service', amount: 8, net: 0 }])
})

test('the text says what is unexplained, where, and why numbers differ, in 80 columns', () => {
  const long = chart(
    'count by day: an event with a name that is longer than any column of a table could be',
    'count',
  )
  const result = compareJson({ ...subject, charts: [compared(long, LOST), compared(chart('same', 'count'))] })
  const text = compareText(result)
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(text).toMatch(/^compare: unexplained: 2 \(2%\) of count by day/)
  expect(text).toContain('1 chart of 2 is beyond the\n')
  expect(text).toContain('5: records were rejected; in 1 chart, such as -5 at 2024-03-02 of')
  expect(text).toContain('1 chart more: the same on all sides')
  expect(text).toContain('note: the raw records were not read')
  expect(compareText(compareJson({ ...subject, charts: [compared(chart('same', 'count'))] }))).toContain(
    'compare: every difference is explained: unexplained 0\n',
  )
})
