import { expect, test } from 'vitest'
import { isPassing, retryAfterMs } from '../../src/http/retry-after.ts'

const NOW = Date.UTC(2027, 11, 31)

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 1.5 ', 1500],
  ['Fri, 31 Dec 2027 23:59:59 GMT', 86_399_000],
  ['Thu, 30 Dec 2027 23:59:59 GMT', 0],
  ['soon', undefined],
  ['-5x', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s asks for %s ms', (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms))

test('overload, throttling and outages pass; refusals and redirects do not', () => {
  const statuses = [200, 302, 400, 401, 404, 408, 413, 425, 429, 500, 503, 529]
  expect(statuses.filter(isPassing)).toEqual([408, 425, 429, 500, 503, 529])
})
