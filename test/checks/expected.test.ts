import { expect, test } from 'vitest'
import { expectedDays, windowsOf } from '../../src/checks/expected.ts'
import { inputOf, listOf } from '../helpers/audit.ts'
import { makeEvent } from '../helpers/events.ts'

function eventsOn(day: string, count: number) {
  return Array.from({ length: count }, (_, n) => ({ ...makeEvent(n), timestamp: `${day}T00:00:00.000000Z` }))
}

async function windows(days: Readonly<Record<string, number>>, most?: number) {
  const events = Object.entries(days).flatMap(([day, count]) => eventsOn(day, count))
  return (await listOf(windowsOf(expectedDays([inputOf(events)]), most))).map(({ first, last }) => [
    first,
    last,
  ])
}

test('a window goes over small gaps and not over wide ones', async () =>
  expect(await windows({ '2024-03-02': 1, '2024-02-28': 1, '2024-02-29': 1, '2023-01-01': 1 })).toEqual([
    ['2023-01-01', '2023-01-01'],
    ['2024-02-28', '2024-03-02'],
  ]))

test('a window holds so many events, and a larger day alone', async () =>
  expect(await windows({ '2024-03-01': 4, '2024-03-02': 6, '2024-03-03': 30, '2024-03-04': 1 }, 10)).toEqual([
    ['2024-03-01', '2024-03-02'],
    ['2024-03-03', '2024-03-03'],
    ['2024-03-04', '2024-03-04'],
  ]))

test('days that other ids tell apart are another query', async () => {
  const [first, second] = [eventsOn('2024-03-01', 1), eventsOn('2024-03-02', 1)]
  const inputs = [inputOf(first, { importIds: ['a'] }), inputOf(second)]
  expect((await listOf(windowsOf(expectedDays(inputs)))).map(({ importIds }) => importIds)).toEqual([
    ['a'],
    null,
  ])
  const both = [inputOf(first, { importIds: ['a'] }), inputOf(first, { importIds: ['b'] })]
  expect((await listOf(windowsOf(expectedDays(both)))).map(({ importIds }) => importIds)).toEqual([
    ['a', 'b'],
  ])
  expect((await listOf(windowsOf(expectedDays([...both, inputOf(first)]))))[0]!.importIds).toBeNull()
})
