import { type ComponentType, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { HeatMap } from '../../src/html/kit/heat-map.tsx'
import { PaceChart } from '../../src/html/kit/pace-chart.tsx'
import { Code } from '../../src/html/kit/parts.tsx'
import { StackedDays } from '../../src/html/kit/stacked-days.tsx'
import { BarList, TableView } from '../../src/html/kit/table.tsx'

const MINUTE = 60_000
const HOSTILE = '</title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>'

function html<P extends object>(component: ComponentType<P>, props: NoInfer<P>): string {
  return renderToString(h(component, props))
}

function days(count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.parse('2004-01-01') + at * 86_400_000).toISOString().slice(0, 10),
  )
}

/** The texts of all elements of a kind. */
function texts(page: string, tag: string): string[] {
  return [...page.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, text]) => text!)
}

describe('days stacked by name', () => {
  test('every event is in a bar, a title and the table', () => {
    const page = html(StackedDays, {
      id: 'moved',
      title: 'Events by day',
      days: ['2024-03-02', '2024-03-01'],
      series: [
        { name: 'sign up', values: [1, 1000] },
        { name: 'view', values: [2, 3] },
      ],
    })
    expect(page).toContain('1,006 events from 2024-03-01 to 2024-03-02, at most 1,003 in 2024-03-01.')
    expect(texts(page, 'title')).toEqual([
      'Events by day',
      '2024-03-01: 1,003 events\n1,000 sign up\n3 view',
      '2024-03-02: 3 events\n1 sign up\n2 view',
    ])
    expect(texts(page, 'tr')[1]).toContain('1,003')
  })

  test('a day of one event is seen beside a day of a million', () => {
    const page = html(StackedDays, {
      id: 'x',
      title: 'x',
      days: ['2024-03-01', '2024-03-02'],
      series: [{ name: 'view', values: [1, 1_000_000] }],
    })
    expect(page).toContain('height="1.50"')
  })

  test('what has no colour of its own is counted as one', () => {
    const series = Array.from({ length: 30 }, (_, at) => ({ name: `event ${at}`, values: [10] }))
    const page = html(StackedDays, { id: 'x', title: 'x', days: ['2024-03-01'], series })
    expect(page).toContain('2024-03-01: 300 events')
    expect(page).toContain('220 22 other names')
  })

  test('twenty years of a hundred names fit a page, and a hostile name is text', () => {
    const span = days(7300)
    const series = Array.from({ length: 100 }, () => ({ name: HOSTILE, values: span.map((_, at) => at) }))
    const page = html(StackedDays, { id: 'x', title: HOSTILE, days: span, series })
    expect(page.length).toBeLessThan(400_000)
    expect(page).not.toMatch(/<(script|img)|NaN| style=/)
  })

  test('no days are said to be none', () => {
    expect(html(StackedDays, { id: 'x', title: 'x', days: [], series: [] })).toContain('No events.')
  })
})

describe('pace', () => {
  test('of thousands of points the highest are kept, and pauses are told', () => {
    const points = Array.from({ length: 20_000 }, (_, at) => ({
      at: at * MINUTE,
      perMinute: at === 12_345 ? 10_001 : 9000,
    }))
    const page = html(PaceChart, {
      id: 'pace',
      title: 'Pace',
      points,
      cap: 10_000,
      pauses: [{ from: 60 * MINUTE, to: 90 * MINUTE, reason: HOSTILE }],
    })
    expect(page).toContain('at most 10,001 events a minute, with 10,000 allowed. 1 pause.')
    expect(page).toContain('Paused 1970-01-01 01:00 UTC for 30 min')
    expect(page.length).toBeLessThan(100_000)
    expect(page).not.toMatch(/<(script|img)|NaN| style=/)
  })

  test.each([[[]], [[{ at: 0, perMinute: 0 }]]])('%j is drawn without a fault', (points) => {
    expect(html(PaceChart, { id: 'pace', title: 'Pace', points })).not.toMatch(/NaN|Infinity/)
  })
})

describe('days by name', () => {
  const cell = { name: 'a', here: 5, there: 5, state: 'same' } as const

  test('a state is told by a sign and in words', () => {
    const page = html(HeatMap, {
      title: 'Verified',
      cells: [
        { ...cell, day: '2024-03-01' },
        { ...cell, day: '2024-03-02', there: 3, state: 'fewer' },
      ],
    })
    expect(texts(page, 'td').filter((text) => text !== '')).toEqual(['✓', '−'])
    expect(page).toContain('2024-03-02, a: events missing in PostHog (5 here, 3 in PostHog)')
  })

  test('a share of nearly nothing has a bar that is seen, and nothing has none', () => {
    const page = (share: number) =>
      html(BarList, { caption: '', columns: { label: '', share: '' }, rows: [{ label: 'a', share }] })
    expect(page(0.0001)).toContain('<rect class="bar-value" width="3"')
    expect(page(0)).not.toContain('width="3"')
  })

  test('of many days a square is in the worst state of its days', () => {
    const page = html(HeatMap, {
      title: 'Verified',
      cells: days(365).map((day, at) =>
        at === 100 ? { ...cell, day, there: 4, state: 'fewer' as const } : { ...cell, day },
      ),
    })
    expect(texts(page, 'td').filter((text) => text === '−')).toHaveLength(1)
    expect(page).toContain('2004-04-05 to 2004-04-11, a: events missing in PostHog (35 here, 34 in PostHog)')
  })
})

test('tables and bars escape what they show, and separate thousands', () => {
  const page = [
    html(TableView, {
      caption: 'c',
      columns: [{ label: 'name' }, { label: 'n', align: 'right' }],
      rows: [[HOSTILE, 1234]],
    }),
    html(BarList, {
      caption: 'c',
      columns: { label: 'p', share: 's' },
      rows: [{ label: HOSTILE, share: 2 }],
    }),
    html(Code, { text: `${HOSTILE}\u0000\nsecond line` }),
  ].join('')
  expect(page).toContain('1,234')
  expect(page).toContain('␀\nsecond line')
  expect(page).toContain('width="100.0%"')
  expect(page).not.toMatch(/<(script|img)| style=/)
})
