import { expect, test } from 'vitest'
import type { ChartFilter } from '../../../src/charts/chart.ts'
import type { ChartAnswer, NoAnswer } from '../../../src/charts/chart-answer.ts'
import type { MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { callOf, cellsOf, chartOf, fakeOf, namesOf, series, sideOf } from './side.ts'

const SPAN = { first: '2024-03-04', last: '2024-03-17' }

/** An event at a time of New York: `03-10 01:30`. */
function event(
  name: string,
  time: string,
  properties: Readonly<Record<string, unknown>> = {},
): MixpanelEvent {
  return { event: name, properties: { distinct_id: 'anna', ...properties, time: Date.parse(time) } }
}

const answered = (answer: ChartAnswer | NoAnswer): ChartAnswer => {
  if ('unanswered' in answer) throw new Error(answer.unanswered)
  return answer
}

// New York's clocks go forward on 2024-03-10 at 2:00, 7:00 UTC: the day has 23 hours.
const OVER_THE_CHANGE = [
  event('Signed Up', '2024-03-10T04:59:59.999Z', { $insert_id: 'saturday' }),
  event('Signed Up', '2024-03-10T05:00:00Z', { $insert_id: 'first of Sunday' }),
  event('Signed Up', '2024-03-11T03:59:59Z', { $insert_id: 'last of Sunday' }),
  event('Signed Up', '2024-03-11T04:00:00Z', { $insert_id: 'monday' }),
]

test('days, weeks and months are those of the project, over a change of its clocks', async () => {
  const fake = await fakeOf(OVER_THE_CHANGE, { zone: 'America/New_York' })
  const side = await sideOf(fake)
  const ask = async (interval: 'day' | 'week' | 'month' | 'whole', span = SPAN) =>
    cellsOf(answered(await side.ask(chartOf(series('Signed Up', { interval })), span, callOf())))
  expect(await ask('day')).toEqual(['2024-03-09: 1', '2024-03-10: 2', '2024-03-11: 1'])
  expect(await ask('week')).toEqual(['2024-03-04: 3', '2024-03-11: 1'])
  expect(await ask('whole')).toEqual(['whole: 4'])
  // All of them are sums of the same days.
  expect(fake.seen).toHaveLength(1)
  expect(await ask('month', { first: '2024-03-01', last: '2024-04-30' })).toEqual(['2024-03-01: 4'])
  expect(await ask('month')).toEqual([])
})

test('copies count once, and the numbers of several names are added up', async () => {
  const events = [
    event('Signed Up', '2024-03-05T12:00:00Z', { $insert_id: 'a' }),
    event('Signed Up', '2024-03-05T12:00:00Z', { $insert_id: 'a' }),
    event('sign up', '2024-03-05T12:00:00Z', { $insert_id: 'b' }),
    event('Other', '2024-03-05T12:00:00Z'),
  ]
  const side = await sideOf(await fakeOf(events))
  const names = namesOf({ 'user signed up': ['Signed Up', 'sign up'] }, ['Signed Up', 'sign up'])
  // `Other` is in Mixpanel, and in no export.
  const ask = (final: string | null) => side.ask(chartOf(series(final)), SPAN, callOf(names))
  expect(cellsOf(answered(await ask('user signed up')))).toEqual(['2024-03-05: 2'])
  expect(cellsOf(answered(await ask(null)))).toEqual(['2024-03-05: 3'])
})

test('people are those of Mixpanel, once in each day, week, month and in all', async () => {
  const events = [
    event('Visit', '2024-03-04T12:00:00Z', { distinct_id: '$device:d1', $device_id: 'd1' }),
    event('Visit', '2024-03-05T12:00:00Z', { distinct_id: 'anna', $device_id: 'd1', $user_id: 'anna' }),
    event('Visit', '2024-03-05T13:00:00Z', { distinct_id: 'bert' }),
    event('Visit', '2024-03-12T13:00:00Z', { distinct_id: 'anna' }),
    event('Other', '2024-03-05T12:00:00Z', { distinct_id: 'carl' }),
  ]
  const side = await sideOf(await fakeOf(events))
  const ask = async (final: string | null, interval: 'day' | 'week' | 'month' | 'whole', span = SPAN) =>
    cellsOf(answered(await side.ask(chartOf(series(final, { measure: 'unique', interval })), span, callOf())))
  expect(await ask('Visit', 'day')).toEqual(['2024-03-04: 1', '2024-03-05: 2', '2024-03-12: 1'])
  expect(await ask('Visit', 'week')).toEqual(['2024-03-04: 2', '2024-03-11: 1'])
  expect(await ask('Visit', 'whole')).toEqual(['whole: 2'])
  const march = { first: '2024-03-01', last: '2024-03-31' }
  expect(await ask('Visit', 'month', march)).toEqual(['2024-03-01: 2'])
  expect(await ask(null, 'day')).toEqual(['2024-03-04: 1', '2024-03-05: 3', '2024-03-12: 1'])
  expect(await ask(null, 'week')).toEqual(['2024-03-04: 3', '2024-03-11: 1'])
  expect(await ask(null, 'month', march)).toEqual(['2024-03-01: 3'])
})

test('people of several names are not added up, and the reason is said', async () => {
  const side = await sideOf(await fakeOf([]))
  const names = namesOf({ both: ['a', 'b'], none: [] })
  const ask = (final: string) => side.ask(chartOf(series(final, { measure: 'unique' })), SPAN, callOf(names))
  expect(await ask('both')).toEqual({ unanswered: expect.stringContaining('"a", "b"') })
  expect(await ask('none')).toEqual({ unanswered: expect.stringContaining('no event that became "none"') })
})

const PLANS = [
  event('Paid', '2024-03-05T12:00:00Z', { plan: 'a "big" one \\ äß', amount: 10, n: 5 }),
  event('Paid', '2024-03-05T13:00:00Z', { plan: 'small', amount: 2.5, distinct_id: 'bert', n: '7' }),
  event('Paid', '2024-03-06T12:00:00Z', { plan: 'small', amount: 1 }),
  event('Paid', '2024-03-12T12:00:00Z', { amount: 'no number' }),
  event('Paid', '2024-03-13T12:00:00Z', {}),
]

test.each<[ChartFilter['operator'], string[], string, number]>([
  ['is', ['a "big" one \\ äß'], 'plan', 1],
  ['is', ['small', 'a "big" one \\ äß'], 'plan', 3],
  ['is', ['5'], 'n', 1],
  ['is', ['") or defined(properties["n"]'], 'plan', 0],
  ['is_not', ['small'], 'plan', 3],
  ['contains', ['"big"', 'nothing'], 'plan', 1],
  ['set', [], 'plan', 3],
  ['not_set', [], 'plan', 2],
  ['over', ['2'], 'amount', 2],
  ['under', ['2.5'], 'amount', 1],
])('a filter %s %j on %s lets %i events through', async (operator, values, property, count) => {
  const side = await sideOf(await fakeOf(PLANS))
  const query = series('Paid', { interval: 'whole', where: [{ property, operator, values }] })
  const answer = answered(await side.ask(chartOf(query), SPAN, callOf()))
  expect(cellsOf(answer)).toEqual(count === 0 ? [] : [`whole: ${count}`])
})

test('a filter that Mixpanel has no property for, or no number, is not asked', async () => {
  const fake = await fakeOf(PLANS)
  const side = await sideOf(fake)
  const ask = (filter: ChartFilter) => side.ask(chartOf(series('Paid', { where: [filter] })), SPAN, callOf())
  expect(await ask({ property: 'made of two', operator: 'set', values: [] })).toHaveProperty('unanswered')
  expect(await ask({ property: 'n', operator: 'over', values: ['many'] })).toHaveProperty('unanswered')
  expect(fake.seen).toHaveLength(0)
})

test('events and people are divided by a property, and those without it have no value', async () => {
  const side = await sideOf(await fakeOf(PLANS))
  const ask = async (measure: 'count' | 'unique', interval: 'day' | 'week' | 'whole') =>
    cellsOf(
      answered(await side.ask(chartOf(series('Paid', { measure, interval, by: 'plan' })), SPAN, callOf())),
    )
  const big = 'a "big" one \\ äß'
  expect(await ask('count', 'week')).toEqual([
    `2024-03-04 ${big}: 1`,
    '2024-03-04 small: 2',
    '2024-03-11 : 2',
  ])
  expect(await ask('unique', 'week')).toEqual([
    `2024-03-04 ${big}: 1`,
    '2024-03-04 small: 2',
    '2024-03-11 : 1',
  ])
  expect(await ask('unique', 'whole')).toEqual(['whole : 1', `whole ${big}: 1`, 'whole small: 2'])
})

test('the 20 most frequent values of all years are shown, whatever each request had', async () => {
  const years = ['2022-05-05T12:00:00Z', '2023-05-05T12:00:00Z', '2024-03-05T12:00:00Z']
  const events = years.flatMap((time, year) =>
    Array.from({ length: 70 }, (_, value) => {
      // In no year among the 20 most frequent, and the most frequent of all.
      const often = value === 69 ? 3 : Math.floor(value / 23) === year ? 5 : 1
      return Array.from({ length: often }, () => event('Paid', time, { plan: `p${value}` }))
    }).flat(),
  )
  const side = await sideOf(await fakeOf(events))
  const query = series('Paid', { by: 'plan', interval: 'whole' })
  const { cells } = answered(
    await side.ask(chartOf(query), { first: '2022-01-01', last: '2024-03-31' }, callOf()),
  )
  expect(cells).toHaveLength(20)
  expect(cells[0]).toEqual({ at: 'whole', by: 'p69', value: 9 })
})

test('sums and averages are of the events that have the property, in buckets that Mixpanel does not have', async () => {
  const side = await sideOf(await fakeOf(PLANS))
  const ask = async (measure: 'sum' | 'average', interval: 'day' | 'week' | 'whole') =>
    cellsOf(
      answered(
        await side.ask(chartOf(series('Paid', { measure, interval, property: 'amount' })), SPAN, callOf()),
      ),
    )
  expect(await ask('sum', 'day')).toEqual(['2024-03-05: 12.5', '2024-03-06: 1'])
  expect(await ask('sum', 'week')).toEqual(['2024-03-04: 13.5'])
  expect(await ask('average', 'day')).toEqual(['2024-03-05: 6.25', '2024-03-06: 1'])
  expect(await ask('average', 'week')).toEqual(['2024-03-04: 4.5'])
  const divided = series('Paid', { measure: 'sum', property: 'amount', by: 'plan' })
  expect(await side.ask(chartOf(divided), SPAN, callOf())).toHaveProperty('unanswered')
})

test('events that Mixpanel hides are 0 there, and a note says so', async () => {
  const side = await sideOf(await fakeOf(PLANS, { hidden: ['Paid'] }))
  const answer = answered(await side.ask(chartOf(series('Paid')), SPAN, callOf()))
  expect(answer).toMatchObject({ cells: [], notes: [expect.stringContaining('"Paid"')] })
})

test('an answer of a sample is an estimate', async () => {
  const events = Array.from({ length: 300 }, (_, i) =>
    event('Visit', '2024-03-05T12:00:00Z', { distinct_id: `u${i}` }),
  )
  const whole = await sideOf(await fakeOf(events))
  const sampled = await sideOf(await fakeOf(events, { sampling: 0.5 }))
  const chart = chartOf(series('Visit', { measure: 'unique' }))
  expect(answered(await whole.ask(chart, SPAN, callOf())).estimated).toBe(false)
  const answer = answered(await sampled.ask(chart, SPAN, callOf()))
  expect(answer.estimated).toBe(true)
  expect(Math.abs(answer.cells[0]!.value - 300)).toBeLessThan(60)
})

test.each(['q"u\'ote\\', 'Füße ✓ 🎉', 'x'.repeat(255), '["a"]', '&type=unique', ''])(
  'an event named %j is asked for by that name',
  async (name) => {
    const side = await sideOf(await fakeOf([event(name, '2024-03-05T12:00:00Z', { [name]: name })]))
    const chart = chartOf(series(name, { interval: 'whole' }))
    const filtered = chartOf(
      series(name, { interval: 'whole', where: [{ property: name, operator: 'is', values: [name] }] }),
    )
    expect(cellsOf(answered(await side.ask(chart, SPAN, callOf())))).toEqual(['whole: 1'])
    if (name === '') return
    expect(cellsOf(answered(await side.ask(filtered, SPAN, callOf())))).toEqual(['whole: 1'])
  },
)
