import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { Backoff, GaveUp, isPassing, retryAfterMs, retrying } from '../../src/http/retry.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'

const cut = () => new PosthaulError('cut', { code: 'unavailable', fate: 'retry' })
const signal = new AbortController().signal

function setUp(random = 0.5, retryForMs = 3_600_000) {
  const clock = new FakeClock(0)
  const waits: number[] = []
  const onRetry = (_: PosthaulError, waitMs: number) => void waits.push(waitMs)
  return { waits, clock, options: { retryForMs, clock, random: () => random, signal, onRetry } }
}

function failing(times: number, error: () => Error): () => Promise<string> {
  let left = times
  return async () => {
    if (left-- > 0) throw error()
    return 'done'
  }
}

test('waits grow and are spread over their whole length, up to a minute', async () => {
  for (const random of [0, 0.5, 0.999]) {
    const { waits, options } = setUp(random)
    expect(await retrying(failing(10, cut), options)).toBe('done')
    const most = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]
    expect(waits).toEqual(most.map((ms) => Math.max(100, ms * random)))
  }
})

test('a pause that the vendor asks for is the least', async () => {
  const { waits, options } = setUp()
  const busy = () => new PosthaulError('busy', { code: 'unavailable', fate: 'retry', waitMs: 30_000 })
  await retrying(failing(2, busy), options)
  expect(waits).toEqual([30_000, 30_000])
})

test('gives up when the budget is spent, and says since when', async () => {
  const { clock, options } = setUp(0.999, 100_000)
  clock.pass(5000)
  const error = await retrying(failing(99, cut), options).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(GaveUp)
  expect(error).toMatchObject({ since: 5000, fate: 'stop', code: 'unavailable', message: 'cut' })
  expect(clock.wall()).toBeLessThanOrEqual(105_000)
})

test.each([
  new PosthaulError('no', { code: 'auth' }),
  new PosthaulError('this window', { code: 'unavailable', fate: 'reject' }),
  new Error('a bug'),
])('%s is not tried again', async (error) => {
  const { waits, options } = setUp()
  await expect(
    retrying(
      failing(1, () => error),
      options,
    ),
  ).rejects.toBe(error)
  expect(waits).toEqual([])
})

function backoff(retryForMs = 3_600_000, random = () => 0.5) {
  const clock = { at: 0, now: () => clock.at }
  return { clock, backoff: new Backoff({ retryForMs, clock, random }) }
}

test('waits grow exponentially, with full jitter, up to a minute', () => {
  const roll = seeded(7)
  const { clock, backoff: shared } = backoff(1e12, roll)
  const ceilings = [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60].map((s) => s * 1000)
  const waits = ceilings.map((ceiling) => {
    const wait = shared.fail(clock.at)!
    expect(wait).toBeLessThan(ceiling)
    clock.at += wait
    return wait / ceiling
  })
  expect(new Set(waits).size).toBe(waits.length)
})

test('no wait is shorter than a tenth of a second, and none is longer than its ceiling', () => {
  expect(backoff(1e12, () => 0).backoff.fail(0)).toBe(100)
  expect(backoff(1e12, () => 0.999).backoff.fail(0)).toBeCloseTo(499.5)
})

test('a success resets it: the next wait is short again, and the budget whole', () => {
  const { clock, backoff: shared } = backoff(10_000)
  for (let i = 0; i < 3; i++) clock.at += shared.fail(clock.at)!
  shared.reset()
  expect(shared.since).toBeUndefined()
  clock.at += 9_000
  expect(shared.fail(clock.at)).toBe(250)
})

test('is shared: lanes that failed together make one failure, and all wait it out', () => {
  const { clock, backoff: shared } = backoff()
  expect(shared.fail(0)).toBe(250)
  clock.at = 100
  expect(shared.fail(0)).toBe(150)
  expect(shared.remaining).toBe(150)
  clock.at = 300
  expect(shared.remaining).toBe(0)
  expect(shared.fail(300)).toBe(500)
})

test('waits as long as the server asks, also if it then asks for less', () => {
  const { clock, backoff: shared } = backoff()
  expect(shared.fail(0, 30_000)).toBe(30_000)
  expect(shared.fail(0, 5_000)).toBe(30_000)
  clock.at = 40_000
  expect(shared.fail(clock.at, 0)).toBe(500)
})

test('gives up when the budget ends before the wait does', () => {
  const { clock, backoff: shared } = backoff(5_000)
  expect(shared.fail(0)).toBe(250)
  clock.at = 250
  expect(shared.fail(clock.at)).toBe(500)
  clock.at = 4_900
  expect(shared.fail(clock.at, 200)).toBeUndefined()
  expect(shared.since).toBe(0)
  expect(backoff(5_000).backoff.fail(0, 5_001)).toBeUndefined()
  expect(backoff(0).backoff.fail(0)).toBeUndefined()
})

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
