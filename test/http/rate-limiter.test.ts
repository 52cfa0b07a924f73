import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { type Limit, RateLimiter, type Wait } from '../../src/http/rate-limiter.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const HOUR = 3_600_000
const LIMITS: readonly Limit[] = [
  { requests: 60, perMs: HOUR },
  { requests: 3, perMs: 1000 },
]
const never = new AbortController().signal

function mostIn(times: readonly number[], perMs: number): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + perMs).length))
}

test('no hour and no second, wherever it begins, sees more than the quota, over a chain of runs', async () => {
  const seed = seedOf('rate limiter', 7)
  const random = seeded(seed)
  const clock = new FakeClock(1_700_000_000_000)
  const sent: number[] = []
  let asked: readonly number[] = []
  for (let run = 0; run < 12; run++) {
    const remember = async (now: readonly number[]) => {
      asked = now
    }
    const limiter = new RateLimiter({ limits: LIMITS, clock, asked, remember })
    // The run is killed after a while, with requests waiting.
    const requests = Math.ceil(random() * 30)
    for (let i = 0; i < requests; i++) {
      await limiter.enter(never)
      sent.push(clock.wall())
      clock.pass(random() * 200)
    }
  }
  console.log(`seed ${seed}: ${sent.length} requests`)
  expect(mostIn(sent, HOUR)).toBeLessThanOrEqual(60)
  expect(mostIn(sent, 1000)).toBeLessThanOrEqual(3)
  // It is no slower than it must be: the quota is used up.
  expect(mostIn(sent, HOUR)).toBe(60)
})

test('requests leave in the order they came in', async () => {
  const clock = new FakeClock(0)
  const limiter = new RateLimiter({ limits: [{ requests: 1, perMs: 1000 }], clock })
  const left: number[] = []
  await Promise.all([0, 1, 2].map((n) => limiter.enter(never).then(() => left.push(n))))
  expect(left).toEqual([0, 1, 2])
  expect(clock.wall()).toBe(2000)
})

test('a pause holds up all requests, is reported with its reason, and is not cut short by a shorter one', async () => {
  const clock = new FakeClock(0)
  const waits: Wait[] = []
  const limiter = new RateLimiter({ limits: LIMITS, clock, onWait: (wait) => waits.push(wait) })
  limiter.hold(37_000, 'asked')
  limiter.hold(5000, 'asked again')
  await limiter.enter(never)
  expect([clock.wall(), waits]).toEqual([37_000, [{ ms: 37_000, why: 'asked' }]])
})

test('concurrent callers share the limits, and learn which limit they wait for', async () => {
  const clock = new FakeClock(0)
  const waits: Wait[] = []
  const limits = [
    { requests: 2, perMs: 60_000, why: '2 a minute' },
    { requests: 100, perMs: HOUR, why: '100 an hour' },
  ]
  const limiter = new RateLimiter({ limits, clock, onWait: (wait) => waits.push(wait) })
  await Promise.all([1, 2, 3].map(() => limiter.enter(never)))
  expect(waits).toEqual([{ ms: 60_000, why: '2 a minute' }])
})

test('a clock that is set back during a run makes no wait longer than its span', async () => {
  const clock = new FakeClock(10 * HOUR)
  const limiter = new RateLimiter({ limits: [{ requests: 1, perMs: 1000 }], clock })
  await limiter.enter(never)
  clock.pass(-9 * HOUR)
  expect(limiter.leastMs(1)).toBe(1000)
  await limiter.enter(never)
  expect(clock.wall()).toBe(HOUR + 1000)
})

test('an interrupt ends the waiting', async () => {
  const clock = new FakeClock(0)
  const limiter = new RateLimiter({ limits: [{ requests: 1, perMs: HOUR }], clock })
  await limiter.enter(never)
  const interruption = new AbortController()
  interruption.abort()
  await expect(limiter.enter(interruption.signal)).rejects.toMatchObject({ code: 'interrupted' })
  // A caller that gives up does not hold up the next.
  await limiter.enter(never)
  expect(clock.wall()).toBe(HOUR)
})

test.each([
  [1, 0, 0],
  [60, 0, 19_000],
  [61, 0, HOUR],
  [120, 0, HOUR],
  [121, 0, 2 * HOUR],
  [1, 60, HOUR],
  [60, 60, HOUR],
])('%i requests after %i others take at least %i ms', (requests, before, ms) => {
  const asked = Array.from({ length: before }, () => 0)
  const limiter = new RateLimiter({ limits: LIMITS, clock: new FakeClock(0), asked })
  expect(limiter.leastMs(requests)).toBe(ms)
})

test('times in the future, from a clock that was set back, do not count', async () => {
  const clock = new FakeClock(0)
  const limiter = new RateLimiter({ limits: [{ requests: 1, perMs: HOUR }], clock, asked: [99_999_999] })
  await limiter.enter(never)
  expect(clock.wall()).toBe(0)
})

test('once it is hastened, who would wait over a minute is refused, and who waits less gets its turn', async () => {
  const clock = new FakeClock(1_700_000_000_000)
  const limiter = new RateLimiter({ limits: LIMITS, clock })
  const error = new PosthaulError('the vendor is away', { code: 'unavailable' })
  limiter.hasten(error)
  for (let n = 0; n < 60; n++) await limiter.enter(never)
  await expect(limiter.enter(never)).rejects.toBe(error)
  clock.pass(HOUR - 50_000)
  await limiter.enter(never)
})
