import { expect, test } from 'vitest'
import { retentionOf } from '../../src/service/retention.ts'

const enforced = (months: number) => ({ event_retention_months: months, events_retention_enforced: true })

test.each([
  ['2026-11-30T10:00:00Z', 24, '2024-11-30T10:00:00Z', '2024-12-01'],
  ['2026-11-30T00:00:00Z', 24, '2024-11-30T00:00:00Z', '2024-11-30'],
  ['2024-03-31T12:00:00Z', 1, '2024-02-29T12:00:00Z', '2024-03-01'],
  ['2024-02-29T12:00:00Z', 12, '2023-02-28T12:00:00Z', '2023-03-01'],
  ['2024-12-31T23:59:59.999Z', 84, '2017-12-31T23:59:59.999Z', '2018-01-01'],
  ['2024-05-05T01:00:00Z', 0, '2024-05-05T01:00:00Z', '2024-05-06'],
])('at %s a project that keeps %i months shows events from %s on', (now, months, floor, firstDay) => {
  expect(retentionOf(enforced(months), Date.parse(now))).toEqual({
    months,
    floor: Date.parse(floor),
    firstDay,
  })
})

test.each([
  {},
  { event_retention_months: 12 },
  { event_retention_months: 12, events_retention_enforced: false },
  { event_retention_months: null, events_retention_enforced: true },
])('a project that says %o shows all events', (project) => {
  expect(retentionOf(project, Date.parse('2026-11-30'))).toBeUndefined()
})
