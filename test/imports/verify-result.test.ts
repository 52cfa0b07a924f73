import { expect, test } from 'vitest'
import { isProven, likelyCauses, type VerifyResult } from '../../src/imports/verify-result.ts'

/** A day and name with so many events here and there; `missing` where they were compared one by one. */
const row = (
  day: string,
  event: string | null,
  here: number,
  service: number,
  missing: number | null = null,
) => ({
  ...{ day, event, here, service, missing },
  ...{ unknown: null, moved: null },
})

const NONE = { since: 'x', types: [], unasked: null }

const found = (
  differences: VerifyResult['differences'],
  {
    overQuota = false,
    rejected = 0,
    warnings: ingestion_warnings = NONE as VerifyResult['ingestion_warnings'],
  } = {},
) =>
  likelyCauses({ differences, ingestion_warnings }, '2026-12-10T06:00:00Z', overQuota, {
    events: rejected,
    file: 'r',
  }).map(({ cause, events }) => `${cause} ${events}`)

const warned = (type: string, severity: string) => ({ type, severity, sampled: 1, example: null })
const warnings = {
  since: 'x',
  types: [warned('too_large', 'error'), warned('changed', 'warning'), warned('too_old', 'info')],
  unasked: null,
}

test.each<[string, string[], string[]]>([
  ['nothing differs', found([], { overQuota: true, warnings }), []],
  ['only more is there', found([row('2026-12-09', 'a', 1, 3)], { overQuota: true }), []],
  ['events in place of others', found([row('2026-01-01', 'a', 3, 3, 2)]), ['not_arrived_yet 2']],
  ['all were rejected', found([row('2026-01-01', 'a', 3, 1)], { rejected: 3 }), ['rejected 2']],
  [
    'some were rejected',
    found([row('2026-01-01', 'a', 5, 1)], { rejected: 3 }),
    ['rejected 3', 'not_arrived_yet 1'],
  ],
  [
    'the quota is used up, and warnings are of dropped events',
    found([row('2026-01-01', 'a', 5, 3), row('2026-01-01', 'b', 9, 5, 4)], { overQuota: true, warnings }),
    ['over_quota 6', 'too_large 6', 'too_old 6', 'not_arrived_yet 6'],
  ],
  [
    'calls of flags lack, among others',
    found([row('2026-01-01', '$feature_flag_called', 5, 3), row('2026-01-02', null, 2, 1)]),
    ['kept_apart 2', 'not_arrived_yet 3'],
  ],
  [
    'events of the last 48 hours lack, among others',
    found([row('2026-12-07', 'a', 4, 0), row('2026-12-08', 'a', 2, 0), row('2026-12-09', 'b', 1, 0)]),
    ['young 3', 'not_arrived_yet 7'],
  ],
])('%s', (_, causes, expected) => expect(causes).toEqual(expected))

const equal = { differences: [], doubled: [], unreadable: 0, hidden: null, values: null }
const isProvenWith = ({ here = 2, apart = 0, ...more }: Record<string, unknown>) =>
  isProven({ ...equal, events: { here, apart }, ...more } as unknown as VerifyResult)

test('events that are there under two times prove nothing, nor does an event alone in another table or hidden', () => {
  expect(isProvenWith({})).toBe(true)
  expect(isProvenWith({ doubled: [{ day: '2024-03-01', event: 'a', more: 1 }] })).toBe(false)
  expect(isProvenWith({ here: 0, apart: 2 })).toBe(false)
  expect(isProvenWith({ here: 0, hidden: { events: 2 } })).toBe(false)
  expect(isProvenWith({ hidden: { events: 2 } })).toBe(true)
  expect(isProvenWith({ unreadable: 1 })).toBe(false)
  expect(isProvenWith({ values: { changed: 0, absent: 1 } })).toBe(false)
})
