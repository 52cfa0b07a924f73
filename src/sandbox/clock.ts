/** The time of the sandbox: that of the machine, or of a test, and what it was moved on by. */
export class SandboxClock {
  readonly #source: () => number
  #ahead = 0

  /** `source`: milliseconds since the epoch. */
  constructor(source: () => number) {
    this.#source = source
  }

  /** Whole milliseconds since the epoch. */
  readonly now = (): number => Math.floor(this.#source() + this.#ahead)

  /** Moves on by `ms` milliseconds. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock moves on, not by ${ms} ms`)
    this.#ahead += ms
  }
}
