import type { Clock } from '../../src/http/clock.ts'

/** A clock that moves only when the code sleeps or the test lets time pass. */
export class FakeClock implements Clock {
  #now: number

  constructor(now: number) {
    this.#now = now
  }

  now = (): number => this.#now

  wall(): number {
    return this.#now
  }

  pass(ms: number): void {
    this.#now += Math.round(ms)
  }

  async sleep(ms: number): Promise<void> {
    this.#now += Math.ceil(ms)
  }
}
