import { expect, test } from 'vitest'
import { isPassing, retryAfterMs } from '../../src/http/retry-after.ts'

const NOW = Date.UTC(2027, 11, 31)

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 1.5 ', 1500],
  ['Fri, 31 Dec 2027 23:59:59 GMT', 86_399_000],
  ['Thu, 30 Dec 2027 23:59:59 GMT', 0],
  // The two older forms of an HTTP date. Neither says a zone's offset: both are UTC.
  ['Friday, 31-Dec-27 23:59:59 GMT', 86_399_000],
  ['Fri Dec 31 23:59:59 2027', 86_399_000],
  ['2027-12-31T23:59:59Z', 86_399_000],
  ['soon', undefined],
  // Date.parse takes a far year out of these.
  ['in 2099', undefined],
  ['2099', 2_099_000],
  ['+2099', undefined],
  ['-5', undefined],
  ['5, 10', undefined],
  ['Fri, 99 Foo 2099 25:61:61 GMT', undefined],
  ['-5x', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s asks for %s ms', (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms))

test('overload, throttling and outages pass; refusals and redirects do not', () => {
  const statuses = [200, 302, 400, 401, 404, 408, 413, 425, 429, 500, 503, 529]
  expect(statuses.filter(isPassing)).toEqual([408, 425, 429, 500, 503, 529])
})
