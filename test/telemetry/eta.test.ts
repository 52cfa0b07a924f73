import { expect, test } from 'vitest'
import { Eta } from '../../src/telemetry/eta.ts'

const at = (doneBytes: number, events = doneBytes / 100) => ({ doneBytes, totalBytes: 1000, events })

test('there is nothing to go by before anything moved', () => {
  const eta = new Eta(10)
  expect(eta.left(at(0))).toBeUndefined()
  eta.sample(0, at(0))
  eta.sample(1000, at(0))
  expect(eta.left(at(0))).toBeUndefined()
})

test('knows for how long nothing moved', () => {
  const eta = new Eta()
  expect(eta.stillMs).toBe(0)
  eta.sample(1000, at(0))
  eta.sample(4000, at(100))
  expect(eta.stillMs).toBe(0)
  eta.sample(64_000, at(100))
  expect(eta.stillMs).toBe(60_000)
})

test('goes by bytes at the speed of the last minute, not of the beginning', () => {
  const eta = new Eta()
  eta.sample(0, at(0))
  eta.sample(100_000, at(100))
  eta.sample(130_000, at(200))
  eta.sample(160_000, at(300))
  expect(eta.speed).toEqual({ events: 2 / 60, bytes: 200 / 60 })
  expect(eta.left(at(300))).toBe(210_000)
})

test.each([
  ['a first burst promises nothing: it is never sooner than the cap allows', 0.01, 0, 500, 500_000],
  ['a resumed import is judged by its own speed', undefined, 900, 950, 1000],
])('%s', (_, cap, before, now, left) => {
  const eta = new Eta(cap)
  eta.sample(0, at(before))
  eta.sample(1000, at(now))
  expect(eta.left(at(now))).toBe(left)
})
