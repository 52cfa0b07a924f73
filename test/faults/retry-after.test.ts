import { expect, test } from 'vitest'
import { seeded, seedOf } from '../helpers/random.ts'
import { says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('Retry-After')
const random = seeded(seed)
const SPEED = 50

/** More than --retry-for allows. The run has no reason to wait until the time is over. */
const HUGE = [
  ['7200', '7200'],
  ['beyond exact numbers', '999999999999999999999'],
  ['beyond all numbers', '9'.repeat(400)],
  ['a far date', 'Fri, 31 Dec 2999 23:59:59 GMT'],
] as const

test.each(chosen(HUGE, 1, random))(
  'Retry-After, %s: the run ends at once, and the next goes on',
  async (_, header) => {
    const answer = says(429, 'rate limited', { 'Retry-After': header })
    const service = await Service.start((n) => (n === 2 ? { answer } : undefined))
    const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
    const flags = ['--batch-events', '10']
    const stopped = await it.run(...flags)
    it.judge()
    expect([stopped.code, service.requests.length]).toEqual([5, 3])
    expect(stopped.summary?.error?.message).toMatch(/in the time given for retries: 429 rate limited/)
    expect((await it.run(...flags)).code).toBe(0)
    it.judge()
    expect(service.requests[3]!.packed.equals(service.requests[2]!.packed)).toBe(true)
  },
)
