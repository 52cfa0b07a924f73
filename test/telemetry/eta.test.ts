import { expect, test } from 'vitest'
import { Eta } from '../../src/telemetry/eta.ts'
import { bytes, number, plural, span } from '../../src/text/words.ts'

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

test('is never sooner than the cap allows: a first burst promises nothing', () => {
  const eta = new Eta(0.01)
  eta.sample(0, at(0))
  eta.sample(1000, at(500))
  expect(eta.left(at(500))).toBe(500_000)
})

test('a resumed import is judged by its own speed', () => {
  const eta = new Eta()
  eta.sample(0, at(900))
  eta.sample(1000, at(950))
  expect(eta.left(at(950))).toBe(1000)
})

test.each([
  [0, '0 s'],
  [200, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [12_000_000, '3 h 20 min'],
  [180_000_000, '2 days 2 h'],
])('%i ms are %s', (ms, words) => expect(span(ms)).toBe(words))

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [8 * 1024 ** 2, '8.0 MiB'],
  [200 * 1024 ** 3, '200 GiB'],
])('%i bytes are %s', (value, words) => expect(bytes(value)).toBe(words))

test('counts are read as people write them', () => {
  expect([number(20_000_000), plural(1, 'batch', 'batches'), plural(2000, 'reject')]).toEqual([
    '20,000,000',
    '1 batch',
    '2,000 rejects',
  ])
})
