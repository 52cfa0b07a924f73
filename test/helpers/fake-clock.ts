/** A clock that stands still until somebody sleeps. */
export class FakeClock {
  #now: number

  constructor(now: number) {
    this.#now = now
  }

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
