import { expect, test } from 'vitest'
import { plausibleEvents } from '../../../../src/sources/sql/shapes/plausible-query.ts'

/* What servers make of it, test/ci/shapes.test.ts shows. */

const FIRST = [
  'timestamp',
  'name',
  'user_id',
  'session_id',
  'referrer',
  'country_code',
  'meta.key',
  'meta.value',
]

test('only columns that the table has are given another form', () => {
  expect(plausibleEvents('events_v2', FIRST)).not.toMatch(/scroll_depth|revenue/)
  expect(plausibleEvents('events_v2', [...FIRST, 'scroll_depth'])).toContain('AS scroll_depth')
})

test('names of columns are text, whatever signs they have', () => {
  expect(plausibleEvents('events_v2', [...FIRST, "o'dd\\"])).toContain(String.raw`'o\'dd\\'`)
})

test('rows and sessions are of one table, between ends that are bound', () => {
  const text = plausibleEvents('app.events_v2', FIRST)
  expect(text.match(/FROM app\.events_v2 WHERE timestamp >= \{from\}/g)).toHaveLength(2)
  expect(text.match(/\{to\}/g)).toHaveLength(2)
})
