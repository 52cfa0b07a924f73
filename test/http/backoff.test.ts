import { expect, test } from 'vitest'
import { Backoff } from '../../src/http/backoff.ts'
import { seeded } from '../helpers/random.ts'

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
