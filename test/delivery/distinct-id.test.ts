import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdPacer, idOfLine, laneOf } from '../../src/delivery/distinct-id.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('id-pacer')

test('starts empty, saves up one burst, and waits for what is lacking', () => {
  let now = 1000
  const pacer = new IdPacer(1000, () => now)
  expect(pacer.burst).toBe(50)
  const wait = pacer.wait(new Map([[7, 30]]))
  expect(wait).toBeCloseTo((30 * 60_000) / 900, 6)
  now += 3_600_000
  expect(pacer.wait(new Map([[7, 50]]))).toBe(0)
  pacer.take(new Map([[7, 50]]))
  expect(pacer.wait(new Map([[7, 1]]))).toBeGreaterThan(0)
  expect(pacer.wait(new Map([[8, 50]]))).toBe(0)
  expect(() => pacer.wait(new Map([[8, 51]]))).toThrow(RangeError)
})

test('an import of a million ids without a busy one is not held', () => {
  let now = 0
  const pacer = new IdPacer(5000, () => now)
  now += 60_000
  let held = 0
  // A million events a minute, each of another id, in requests of 1,000.
  for (let request = 0; request < 1000; request++) {
    const ids = new Map(
      Array.from({ length: 1000 }, (_, n) => [Math.imul(request * 1000 + n, 0x9e3779b1) >>> 0, 1]),
    )
    held += pacer.wait(ids)
    pacer.take(ids)
    now += 60
  }
  expect(held).toBe(0)
})

const RUN = fc.array(
  fc.record({
    lane: fc.nat(3),
    pauseMs: fc.nat(5000),
    delayMs: fc.nat(90_000),
    ids: fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 60 },
)

/**
 * Requests of several runs: of each id one is under way at once, since an id is in one lane, and it arrives at any time up to
 * its answer. The answer of a run's last request may be lost, so it arrives in the next run.
 */
test('no id is over its cap in any minute, over a chain of runs', () => {
  fc.assert(
    fc.property(
      fc.array(RUN, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 1000 }),
      (runs, cap) => {
        let now = 0
        const arrivals: { id: number; at: number; events: number }[] = []
        for (const run of runs) {
          const pacer = new IdPacer(cap, () => now)
          const free = new Map<number, number>()
          for (const { pauseMs, delayMs, ids } of run) {
            now += pauseMs
            const counts = new Map<number, number>()
            for (const [id, events] of ids) counts.set(id, Math.min(events, pacer.burst))
            for (const id of counts.keys()) now = Math.max(now, free.get(id) ?? 0)
            for (let wait = pacer.wait(counts); wait > 0; wait = pacer.wait(counts)) now += wait
            pacer.take(counts)
            for (const [id, events] of counts) {
              arrivals.push({ id, at: now + delayMs, events })
              free.set(id, now + delayMs)
            }
          }
          now = Math.max(now, ...free.values())
        }
        for (const { id, at: from } of arrivals) {
          const inMinute = arrivals.filter((one) => one.id === id && one.at >= from && one.at < from + 60_000)
          expect(inMinute.reduce((sum, { events }) => sum + events, 0)).toBeLessThanOrEqual(cap)
        }
      },
    ),
    { seed, numRuns: 300 },
  )
})

test('an id has one hash, however it is escaped', () => {
  const line = (id: string) =>
    Buffer.from(eventLine({ ...makeEvent(1), distinct_id: 'ID' }).replaceAll('"ID"', id))
  const [plain, escaped, other] = [line('"é1"'), line('"\\u00e91"'), line('"é2"')]
  const hash = (bytes: Buffer) => idOfLine(bytes, 0, bytes.length)
  expect(hash(escaped)).toBe(hash(plain))
  expect(hash(other)).not.toBe(hash(plain))
})

function lane(json: string, lanes: number): number {
  const bytes = Buffer.from(`xx${json}yy`)
  return laneOf(bytes, 2, bytes.length - 2, lanes)
}

test('an id has one lane, however it is escaped', () => {
  for (const lanes of [2, 3, 8, 64]) {
    expect(lane('"Zo\\u00eb\\/x"', lanes)).toBe(lane('"Zoë/x"', lanes))
    expect(lane('"\\u0061bc"', lanes)).toBe(lane('"abc"', lanes))
  }
})

test('ids that differ in their last digits spread over all lanes evenly', () => {
  for (const lanes of [2, 3, 4, 8, 16]) {
    const counts = new Array<number>(lanes).fill(0)
    for (let i = 0; i < 10_000; i++) counts[lane(JSON.stringify(`user-${i}`), lanes)]!++
    for (const count of counts) expect(count * lanes).toBeGreaterThan(8_000)
  }
})
