import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Account } from '../../src/delivery/account.ts'
import { Ledger } from '../../src/delivery/ledger.ts'
import { leastPerMinute, Pacer } from '../../src/delivery/pacer.ts'
import type { PosthaulError } from '../../src/errors.ts'
import { conserved } from '../../src/record/counts.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'
import { MemoryCell } from '../helpers/memory-cell.ts'
import { seeded, seedOf } from '../helpers/random.ts'

/** The time at which the service received so many events. */
interface Arrival {
  readonly at: number
  readonly events: number
}

/** The most events in any 60 s, both ends included. */
function busiestMinute(arrivals: readonly Arrival[]): number {
  const sorted = [...arrivals].sort((a, b) => a.at - b.at)
  let [first, sum, most] = [0, 0, 0]
  for (const { at, events } of sorted) {
    sum += events
    while (sorted[first]!.at < at - 60_000) sum -= sorted[first++]!.events
    most = Math.max(most, sum)
  }
  return most
}

interface Send {
  /** How large the batch is, as a share of what the pacer allows. */
  readonly size: number
  /** Time that passes before the lane asks again, because the file is slow or the machine slept. */
  readonly idleMs: number
  /** How long the request is under way, and when in that time the service receives it. */
  readonly flightMs: number
  readonly seenAt: number
}

/**
 * Runs lanes against one pacer until the last send, then kills the run. Requests that are under way then arrive or not.
 * A lane sends nothing before its last request is answered.
 */
function runOnce(
  from: number,
  perMinute: number,
  lanes: readonly (readonly Send[])[],
  mostLanes = lanes.length,
): { seen: Arrival[]; end: number } {
  const seen: Arrival[] = []
  let now = from
  const pacer = new Pacer({ perMinute, lanes: lanes.length, mostLanes }, () => now)
  const queue = lanes.map((sends) => ({ sends: [...sends], readyAt: from }))
  for (;;) {
    const next = queue.filter((lane) => lane.sends.length > 0).sort((a, b) => a.readyAt - b.readyAt)[0]
    if (!next) break
    const send = next.sends[0]!
    now = Math.max(now, next.readyAt)
    const events = Math.max(1, Math.floor(send.size * pacer.burst))
    const wait = pacer.take(events)
    if (wait > 0) {
      next.readyAt = now + wait
      continue
    }
    next.sends.shift()
    seen.push({ at: now + send.flightMs * send.seenAt, events })
    next.readyAt = now + send.flightMs + send.idleMs
  }
  return { seen: seen.map(({ at, events }) => ({ at: Math.min(at, now), events })), end: now }
}

const send: fc.Arbitrary<Send> = fc.record({
  size: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  idleMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(70_000)),
  flightMs: fc.oneof({ weight: 4, arbitrary: fc.nat(50) }, fc.nat(90_000)),
  seenAt: fc.double({ min: 0, max: 1, noNaN: true }),
})
const FLAT: Send = { size: 1, idleMs: 0, flightMs: 20, seenAt: 0.5 }
// The worst case is a long stretch at full speed after something slow, so the plan has stretches, not only single sends.
const stretch = fc.oneof(
  fc.array(send, { maxLength: 10 }),
  fc.integer({ min: 1, max: 150 }).map((length) => new Array<Send>(length).fill(FLAT)),
  fc.nat(90_000).map((flightMs) => [{ ...FLAT, flightMs, seenAt: 1 }]),
)
const lane = fc.array(stretch, { maxLength: 4, size: 'max' }).map((stretches) => stretches.flat())
const run = fc.oneof(
  fc.array(lane, { minLength: 1, maxLength: 4 }),
  // All lanes have the same rhythm, so that their late requests arrive at the same time.
  fc
    .tuple(lane, fc.integer({ min: 1, max: 4 }))
    .map(([sends, lanes]) => new Array<Send[]>(lanes).fill(sends)),
)
const shortRun = fc.constant([[FLAT]])

// Found by seed 1798211470: the last requests of three lanes arrive within a minute of a run with one lane.
const SLOW: Send = { ...FLAT, flightMs: 60_000, seenAt: 1 }
const NARROWER = [
  { lanes: [[SLOW], [SLOW], [SLOW]], gapMs: 0 },
  { lanes: [[FLAT, FLAT, FLAT, { ...FLAT, flightMs: 0 }]], gapMs: 0 },
]

test('promise 6: no minute of any run or chain of runs exceeds the rate cap, as the service sees it', () => {
  const gapMs = fc.oneof(fc.constant(0), fc.nat(90_000))
  const chain = fc.oneof(
    fc.array(fc.record({ lanes: run, gapMs }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.record({ lanes: shortRun, gapMs: fc.nat(200) }), {
      minLength: 100,
      maxLength: 200,
      size: 'max',
    }),
  )
  const cap = fc.oneof(
    fc.integer({ min: leastPerMinute(4), max: 500 }),
    fc.integer({ min: 500, max: 2_000_000 }),
  )
  fc.assert(
    fc.property(cap, chain, (perMinute, runs) => {
      const seen: Arrival[] = []
      let [now, mostLanes] = [0, 0]
      for (const { lanes, gapMs } of runs) {
        // The next run gets this from the checkpoint.
        mostLanes = Math.max(mostLanes, lanes.length)
        const run = runOnce(now, perMinute, lanes, mostLanes)
        seen.push(...run.seen)
        now = run.end + gapMs
      }
      expect(busiestMinute(seen)).toBeLessThanOrEqual(perMinute)
    }),
    { seed: seedOf('caps of one'), numRuns: 300, examples: [[6, NARROWER]] },
  )
})

test('promise 6: imports one after the other do not exceed the cap together', async () => {
  const cap = fc.integer({ min: 60, max: 20_000 })
  await fc.assert(
    fc.asyncProperty(cap, fc.array(run, { minLength: 2, maxLength: 4 }), async (perMinute, imports) => {
      const ledger = new Ledger(new MemoryCell(), { host: 'h', key: 'k' })
      const seen: Arrival[] = []
      let now = 0
      for (const [n, lanes] of imports.entries()) {
        const account = await Account.open(ledger, {
          checkpoint: `${n}`,
          importId: `${n}`,
          lanes: lanes.length,
          step: 1,
          delivered: 0,
          maxEvents: 1e9,
          newMigration: false,
          rules: [],
          now: () => 'now',
          note: () => undefined,
        })
        const one = runOnce(now, perMinute, lanes, account.mostLanes)
        seen.push(...one.seen)
        now = one.end
      }
      expect(busiestMinute(seen)).toBeLessThanOrEqual(perMinute)
    }),
    { seed: seedOf('caps of many'), numRuns: 200, examples: [[60, NARROWER.map(({ lanes }) => lanes)]] },
  )
})

test('promise 6: a run that is never held up uses at least nine tenths of the cap', () => {
  for (const [perMinute, lanes] of [
    [10_000, 1],
    [10_000, 8],
    [1_000_000, 2],
  ] as const) {
    const sends = new Array<Send[]>(lanes).fill(new Array<Send>(200).fill(FLAT))
    const { seen, end } = runOnce(0, perMinute, sends)
    const events = seen.reduce((sum, { events }) => sum + events, 0)
    expect((events * 60_000) / end / perMinute).toBeGreaterThan(0.9)
  }
})

test('promise 6: no chain of runs takes a migration over its volume cap, wherever they are cut off', async () => {
  const roll = seeded(seedOf('volume'))
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, Array.from({ length: 900 }, (_, n) => `${eventLine(makeEvent(n))}\n`).join(''))
  const caps = { perMinute: 1e9, events: 555, approved: true }
  const delivered = new Set<string>()
  let capped = false
  for (let run = 0; run < 40 && !capped; run++) {
    const stop = new AbortController()
    let left = 1 + Math.floor(roll() * 4)
    const post = new FakePost(({ events }) => {
      if (--left === 0) stop.abort()
      for (const event of events) delivered.add(identity(event))
      return roll() < 0.2 ? { status: 500, headers: {}, body: '' } : OK
    })
    const limits = { events: 20 + Math.floor(roll() * 60), bytes: 1e6 }
    const { counts, error } = await importFile({ path, post, caps, limits, interrupted: stop.signal })
    expect(delivered.size).toBeLessThanOrEqual(555)
    expect(conserved(counts)).toBe(true)
    capped = (error as PosthaulError).code === 'paused'
  }
  expect([capped, delivered.size]).toEqual([true, 555])
})
