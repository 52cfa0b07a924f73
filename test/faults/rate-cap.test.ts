import { expect, test } from 'vitest'
import { signalWhen } from '../helpers/cli-process.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { type Action, says } from './kit/action.ts'
import { FastClock } from './kit/clock.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('rate cap')
const random = seeded(seed)

const FAULTS: readonly Action[] = [
  { answer: says(503) },
  { answer: says(429, 'rate limited') },
  { answer: says(429, 'rate limited', { 'Retry-After': '3' }) },
  { reset: 'afterBody', store: true },
  { close: 'inAnswer' },
]

// A minute of the program lasts 2.5 s. The cap is so low that a slow machine reaches it too: each request has one event.
const SPEED = 24
const PER_MINUTE = 30

test('no minute passes the cap, over failures, kills and runs with other lanes', async () => {
  const service = await Service.start(() =>
    random() < 0.2 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined,
  )
  const events = kills({ few: 40, many: 120 })
  const clock = new FastClock(SPEED)
  const it = new FaultyImport({ service, seed, events, days: 3, perMinute: PER_MINUTE, clock })
  const chain = [1, 4, 2, 6].slice(0, kills({ few: 1, many: 4 }))
  for (const [i, lanes] of chain.entries()) {
    // The volume cap ends a run where all lanes are at one place: there their number may change.
    const upTo = Math.floor((events * (i + 1)) / (chain.length + 1))
    const flags = ['--lanes', String(lanes), '--max-events', String(upTo)]
    const target = service.requests.length + 2 + Math.floor(random() * 8)
    await signalWhen(it.start(...flags), 'SIGKILL', () => service.requests.length >= target)
    const capped = await it.run(...flags)
    it.judge()
    expect([capped.code, capped.summary?.counts.written]).toEqual([5, upTo])
  }
  const ended = await it.run('--lanes', '1')
  it.judge()
  expect(ended.code).toBe(0)
})
