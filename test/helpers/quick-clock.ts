import { vi } from 'vitest'
import { systemClock } from '../../src/http/clock.ts'

/** Lets the waits of commands of this process pass `speed` times as fast. What they read as the date stays. */
export function hurry(speed: number): void {
  const { now, sleep } = systemClock
  vi.spyOn(systemClock, 'now').mockImplementation(() => now() * speed)
  vi.spyOn(systemClock, 'sleep').mockImplementation((ms, ...more) => sleep(ms / speed, ...more))
}
