import { expect, test } from 'vitest'
import { daysSince, wholeDays } from '../../../src/jobs/compare/span.ts'

const march = { first: '2024-03-01', last: '2024-03-31' }

test.each([
  [['UTC'], '2024-03-01', '2024-03-31'],
  // The last day of New York ends in the first hours of April.
  [['UTC', 'America/New_York'], '2024-03-01', '2024-03-30'],
  [['Asia/Tokyo'], '2024-03-02', '2024-03-31'],
  [['America/New_York', 'Asia/Tokyo'], '2024-03-02', '2024-03-30'],
  [['UTC', undefined], '2024-03-02', '2024-03-30'],
] as const)('days that are whole in %j', (zones, first, last) => {
  expect(wholeDays(march, zones)).toEqual({ first, last })
})

test('of a day no day may be whole elsewhere', () => {
  expect(wholeDays({ first: '2024-03-01', last: '2024-03-01' }, ['Asia/Tokyo'])).toBeUndefined()
})

test('a day is over once it is over in both zones', () => {
  const now = Date.parse('2024-03-10T02:00:00Z')
  expect(daysSince('2024-03-04', ['UTC'], now)).toEqual({ first: '2024-03-04', last: '2024-03-09' })
  expect(daysSince('2024-03-04', ['UTC', 'America/New_York'], now)).toEqual({
    first: '2024-03-04',
    last: '2024-03-08',
  })
  expect(daysSince('2024-03-10', ['UTC'], now)).toBeUndefined()
})
