import { vi } from 'vitest'
import { type Clock, systemClock } from '../../../src/http/clock.ts'
import { MS_PER_MINUTE } from '../../../src/text/units.ts'

/** Who sleeps for longer waits for something else as well, such as the end of the day. */
const NEAR_MS = MS_PER_MINUTE + 1

const MACHINE = { ...systemClock }

interface Sleeper {
  readonly due: number
  /** A sleeper in the background wakes when time has passed, and lets none pass. */
  readonly isWaited: boolean
  readonly wake: () => void
}

/**
 * The clock of all that runs in this process: a month of it passes in a minute. It stands still while something works, and
 * leaps to the next time that somebody waits for. Between two tests, `pass` moves it on.
 */
export class MovedClock {
  readonly #origin: number
  #now = 0
  #sleepers: Sleeper[] = []
  #isScheduled = false

  /** `origin`: ms since the epoch. Timers and dates are its own until `stop`. */
  constructor(origin: number) {
    this.#origin = origin
    vi.useFakeTimers({ now: origin, toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] })
    // A spy would remember each of millions of calls.
    const sleep: Clock['sleep'] = (ms, signal, { ref } = { ref: true }) => this.#sleep(ms, ref, signal)
    Object.assign(systemClock, { now: this.now, wall: this.wall, sleep })
  }

  readonly now = (): number => this.#now

  readonly wall = (): number => this.#origin + Math.floor(this.#now)

  /** Moves on by `ms`. */
  pass(ms: number): void {
    this.#leap(this.#now + ms)
  }

  /** Gives the machine's clock back. */
  stop(): void {
    vi.useRealTimers()
    Object.assign(systemClock, MACHINE)
  }

  async #sleep(ms: number, isWaited: boolean, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper: Sleeper = { due: this.#now + ms, isWaited, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', wake)
      this.#schedule()
    })
  }

  get #next(): Sleeper | undefined {
    return this.#sleepers
      .filter(({ due, isWaited }) => isWaited && due - this.#now < NEAR_MS)
      .sort((a, b) => a.due - b.due)[0]
  }

  // What is due by now runs first.
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isScheduled = false
        const next = this.#next
        if (next) this.#leap(next.due)
        if (this.#next) this.#schedule()
      }),
    )
  }

  #leap(to: number): void {
    const passed = Math.max(0, to - this.#now)
    this.#now += passed
    vi.advanceTimersByTime(passed)
    for (const { wake } of this.#sleepers.filter(({ due }) => due <= this.#now)) wake()
  }
}
