import { describe, expect, test } from 'vitest'
import { type Clock, Throttle, type Wait } from '../../src/service/throttle.ts'

/** A clock that only moves when somebody sleeps. */
function fakeClock(): Clock & { time: number } {
  const clock = {
    time: 0,
    now: () => clock.time,
    sleep: async (ms: number) => {
      clock.time += ms
    },
  }
  return clock
}

const { signal } = new AbortController()

describe('throttle', () => {
  test('no minute and no hour holds more requests than allowed', async () => {
    const clock = fakeClock()
    const throttle = new Throttle({ perMinute: 5, perHour: 20 }, () => {}, clock)
    const sent: number[] = []
    for (let i = 0; i < 60; i++) {
      await throttle.take(signal)
      sent.push(clock.time)
      clock.time += (i * 37) % 4000
    }
    const within = (span: number) =>
      Math.max(...sent.map((at) => sent.filter((other) => other >= at && other < at + span).length))
    expect(within(60_000)).toBe(5)
    expect(within(3_600_000)).toBe(20)
  })

  test('callers at once share the allowance, and are told of the wait', async () => {
    const clock = fakeClock()
    const waits: Wait[] = []
    const throttle = new Throttle({ perMinute: 2, perHour: 100 }, (wait) => waits.push(wait), clock)
    await Promise.all([1, 2, 3].map(() => throttle.take(signal)))
    expect(waits).toEqual([{ ms: 60_000, why: 'the service allows 2 requests a minute' }])
  })

  test('rests as long as the service asks, and no shorter for a later, smaller wish', async () => {
    const clock = fakeClock()
    const waits: Wait[] = []
    const throttle = new Throttle({ perMinute: 9, perHour: 9 }, (wait) => waits.push(wait), clock)
    throttle.rest(37_000, 'asked')
    throttle.rest(5000, 'asked again')
    await throttle.take(signal)
    expect([clock.time, waits]).toEqual([37_000, [{ ms: 37_000, why: 'asked' }]])
  })

  test('one who is interrupted does not hold up the next', async () => {
    const clock = fakeClock()
    const throttle = new Throttle({ perMinute: 1, perHour: 9 }, () => {}, {
      now: clock.now,
      sleep: async (ms, given) =>
        given.aborted ? Promise.reject(new Error('stop')) : clock.sleep(ms, given),
    })
    await throttle.take(signal)
    await expect(throttle.take(AbortSignal.abort())).rejects.toThrow('stop')
    await throttle.take(signal)
    expect(clock.time).toBe(60_000)
  })
})
