import type { Clock } from '../../src/http/clock.ts'

/**
 * A clock that moves only when the test lets time pass. Sleepers wake in their order, and all that follows runs first, unless it
 * waits for a file. */
export class ManualClock implements Clock {
  #now = 0
  #sleepers: { readonly at: number; readonly wake: () => void }[] = []

  now = (): number => this.#now

  wall(): number {
    return Date.UTC(2024, 5, 1) + this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
    })
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (;;) {
      const next = this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#now = Math.max(this.#now, next.at)
      next.wake()
      await settled()
    }
    this.#now = end
  }
}

/** Everything that needs no time has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
