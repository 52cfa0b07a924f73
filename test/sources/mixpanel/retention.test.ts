import { expect, test } from 'vitest'
import type { RetentionChart } from '../../../src/charts/chart.ts'
import type { MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { callOf, cellsOf, chartOf, fakeOf, namesOf, sideOf } from './side.ts'

const SPAN = { first: '2024-03-04', last: '2024-03-24' }

function event(name: string, person: string, time: string, plan = 'free'): MixpanelEvent {
  return { event: name, properties: { distinct_id: person, plan, time: Date.parse(time) } }
}

const EVENTS = [
  event('Signed Up', 'anna', '2024-03-04T20:00:00Z'),
  event('Signed Up', 'bert', '2024-03-05T08:00:00Z', 'paid'),
  event('Visit', 'anna', '2024-03-05T08:00:00Z'),
  event('Visit', 'anna', '2024-03-05T21:00:00Z'),
  event('Visit', 'anna', '2024-03-12T08:00:00Z'),
  event('Visit', 'bert', '2024-03-13T08:00:00Z', 'paid'),
  // He comes back after the days that are asked for.
  event('Signed Up', 'carl', '2024-03-20T08:00:00Z'),
  event('Visit', 'carl', '2024-03-28T08:00:00Z'),
]

const retention = (more: Partial<RetentionChart> = {}): RetentionChart => ({
  kind: 'retention',
  start: { event: 'Signed Up', where: [] },
  back: { event: 'Visit', where: [] },
  period: 'day',
  periods: 2,
  ...more,
})

async function asked(query: RetentionChart, names = namesOf()) {
  const side = await sideOf(await fakeOf(EVENTS))
  const answer = await side.ask(chartOf(query), SPAN, callOf(names))
  return 'cells' in answer ? cellsOf(answer) : answer
}

test('who came back is told by the day of the start, by periods from the start on', async () => {
  expect(await asked(retention())).toEqual([
    '2024-03-04+0: 1',
    '2024-03-04+1: 1',
    '2024-03-05+0: 1',
    '2024-03-20+0: 1',
  ])
})

test('weeks begin on Monday, and those that are not over are left out', async () => {
  expect(await asked(retention({ period: 'week', periods: 12 }))).toEqual([
    '2024-03-04+0: 2',
    '2024-03-04+1: 2',
    '2024-03-18+0: 1',
  ])
})

test('start and return are filtered, each by its own conditions', async () => {
  const paid = [{ property: 'plan', operator: 'is', values: ['paid'] }] as const
  const query = retention({ period: 'week', start: { event: 'Signed Up', where: paid } })
  expect(await asked(query)).toEqual(['2024-03-04+0: 1', '2024-03-04+1: 1'])
  const back = retention({ period: 'week', back: { event: null, where: paid } })
  expect(await asked(back)).toEqual(['2024-03-04+0: 2', '2024-03-04+1: 1', '2024-03-18+0: 1'])
})

test('what has no one name in Mixpanel is not asked', async () => {
  expect(await asked(retention(), namesOf({ Visit: ['visit', 'view'] }))).toEqual({
    unanswered: expect.stringContaining('2 names'),
  })
  expect(await asked(retention({ start: { event: null, where: [] } }))).toHaveProperty('unanswered')
  expect(await asked(retention(), namesOf({ 'Signed Up': [] }))).toHaveProperty('unanswered')
})
