import { expect, test, vi } from 'vitest'
import { deadline, systemClock } from '../../src/http/clock.ts'
import { LONGEST_TIMER_MS, MS_PER_DAY } from '../../src/text/units.ts'

const timers: number[] = []
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void timers.push(ms) }))

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

test('any number of deadlines wait for one signal, and Node warns nobody of them', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const stop = new AbortController()
  const all = Array.from({ length: 30 }, () => deadline(MS_PER_DAY, [stop.signal]))
  stop.abort()
  for (const one of all) one.release()
  // Node warns in the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(all.map(({ signal, isLate }) => [signal.aborted, isLate])).toEqual(all.map(() => [true, false]))
  expect(warnings).toEqual([])
})
