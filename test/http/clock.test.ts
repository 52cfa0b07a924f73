import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/http/clock.ts'
import { LONGEST_TIMER_MS, MS_PER_DAY } from '../../src/text/units.ts'

const timers: number[] = []
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => void timers.push(ms),
}))

test('sleeps for longer than a timer can, as an import of weeks does until it is to stop', async () => {
  await systemClock.sleep(60 * MS_PER_DAY)
  expect(Math.max(...timers)).toBeLessThanOrEqual(LONGEST_TIMER_MS)
  expect(timers.reduce((sum, ms) => sum + ms)).toBe(60 * MS_PER_DAY)
})

test('a sleep that is ended early begins no other timer', async () => {
  timers.length = 0
  await systemClock.sleep(60 * MS_PER_DAY, AbortSignal.abort())
  expect(timers).toHaveLength(1)
})
