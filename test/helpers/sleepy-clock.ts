import type { Clock } from '../../src/http/clock.ts'

/** A clock that moves only when the code sleeps. Then it jumps to the earliest time that a sleeper waits for. */
export class SleepyClock implements Clock {
  #now = 0
  #sleepers: { at: number; wake: () => void }[] = []
  #scheduled = false

  now = (): number => this.#now

  wall(): number {
    return Date.UTC(2024, 5, 1) + this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { at: this.#now + ms, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', wake)
      this.#schedule()
    })
  }

  // Everything else that is due runs first. Sleepers that are left then wait only for time.
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#sleepers.sort((a, b) => a.at - b.at)
      const first = this.#sleepers[0]
      if (!first) return
      this.#now = Math.max(this.#now, first.at)
      first.wake()
      if (this.#sleepers.length > 0) this.#schedule()
    })
  }
}

/** A clock whose sleep of so many milliseconds ends when `ring` is called; others end at once. */
export function alarm(wanted: number) {
  const clock = new SleepyClock()
  const sleep = clock.sleep.bind(clock)
  let wake = () => {}
  clock.sleep = (ms, signal) =>
    ms === wanted ? new Promise((resolve) => (wake = resolve)) : sleep(ms, signal)
  return { clock, ring: () => wake() }
}
