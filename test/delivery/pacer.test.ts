import { expect, test } from 'vitest'
import { burstOf, leastPerMinute, Pacer, ratePerSecond, youngSince } from '../../src/delivery/pacer.ts'

test('starts empty: the first event of a run waits for its token', () => {
  let now = 1000
  const pacer = new Pacer({ perMinute: 6000, lanes: 1 }, () => now)
  const wait = pacer.take(30)
  expect(wait).toBeCloseTo((30 * 60_000) / 5880, 6)
  now += wait
  expect(pacer.take(30)).toBe(0)
  expect(pacer.take(1)).toBeGreaterThan(0)
})

test('an idle pacer saves up one burst, no more', () => {
  let now = 0
  const pacer = new Pacer({ perMinute: 6000, lanes: 1 }, () => now)
  now += 3_600_000
  expect(pacer.burst).toBe(60)
  expect(pacer.take(60)).toBe(0)
  expect(pacer.take(1)).toBeGreaterThan(0)
})

test('refuses a batch that could never pass', () => {
  expect(() => new Pacer({ perMinute: 6000, lanes: 1 }, () => 0).take(61)).toThrow(RangeError)
})

test('a run after one with more lanes leaves room for the requests which that one had under way', () => {
  expect(ratePerSecond({ perMinute: 6, lanes: 1, mostLanes: 3 })).toBeCloseTo(2 / 60, 6)
  expect(ratePerSecond({ perMinute: 10_000, lanes: 1, mostLanes: 8 })).toBeCloseTo(163.3, 0)
  expect(burstOf({ perMinute: 10_000, lanes: 1, mostLanes: 8 })).toBe(100)
})

test.each([
  [10_000, 1, 100, 163.3],
  [10_000, 4, 40, 163.3],
  [1_000_000, 1, 10_000, 16_333],
  [3, 1, 1, 1 / 60],
])('a cap of %i with %i lanes: bursts of %i, %d a second', (perMinute, lanes, burst, rate) => {
  expect(burstOf({ perMinute, lanes })).toBe(burst)
  expect(ratePerSecond({ perMinute, lanes })).toBeCloseTo(rate, 0)
  const most = (lanes + 1) * burst + 60 * ratePerSecond({ perMinute, lanes })
  expect(most).toBeLessThanOrEqual(perMinute)
  expect(perMinute).toBeGreaterThanOrEqual(leastPerMinute(lanes))
})

test('events are young for 48 hours', () => {
  expect(youngSince(Date.UTC(2024, 0, 3, 12))).toBe(Date.UTC(2024, 0, 1, 12) * 1000)
})
