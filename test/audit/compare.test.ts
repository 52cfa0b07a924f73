import { expect, test } from 'vitest'
import { compare, spansOf, sumOfDays } from '../../src/audit/compare.ts'

const DAYS = {
  '2024-03-02': { signup: 4 },
  '2024-02-28': { $pageview: 10, signup: 2 },
  '2024-02-29': { $pageview: 7 },
  '2023-01-01': { signup: 1 },
}

async function* counts(...rows: [string, string, number][]) {
  for (const [day, event, count] of rows) yield { day, event, count }
}

test('days go in spans, over small gaps and not over wide ones', () =>
  expect(spansOf(DAYS)).toEqual([
    { first: '2023-01-01', last: '2023-01-01' },
    { first: '2024-02-28', last: '2024-03-02' },
  ]))

test('equal, with other events beside them', async () => {
  const result = await compare(
    DAYS,
    counts(
      ['2023-01-01', 'signup', 1],
      ['2024-02-28', '$pageview', 10],
      ['2024-02-28', 'signup', 2],
      ['2024-02-28', 'live', 5],
      ['2024-02-29', '$pageview', 7],
      ['2024-03-01', 'signup', 100],
      ['2024-03-02', 'signup', 4],
      ['2024-03-02', '__proto__', 3],
    ),
  )
  expect(result).toEqual({ days: 4, here: 24, there: 24, others: 8, differences: [] })
})

test('a group event counts by either of its names', async () => {
  const days = sumOfDays([{ '2024-03-01': { $group_identify: 2 } }, { '2024-03-01': { $groupidentify: 1 } }])
  const result = await compare(
    days,
    counts(['2024-03-01', '$groupidentify', 1], ['2024-03-01', '$group_identify', 2]),
  )
  expect(result).toEqual({ days: 1, here: 3, there: 3, others: 0, differences: [] })
})

test('fewer, more and none, oldest first', async () => {
  const { differences, there } = await compare(
    DAYS,
    counts(
      ['2024-02-28', 'signup', 3],
      ['2024-02-29', '$pageview', 7],
      ['2024-03-02', 'signup', 1],
      ['2023-01-01', 'signup', 1],
    ),
  )
  expect(there).toBe(12)
  expect(differences).toEqual([
    { day: '2024-02-28', event: '$pageview', here: 10, there: 0 },
    { day: '2024-02-28', event: 'signup', here: 2, there: 3 },
    { day: '2024-03-02', event: 'signup', here: 4, there: 1 },
  ])
})
