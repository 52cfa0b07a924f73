const PRELOAD = new URL('fast-clock.mjs', import.meta.url).href

/** The clock of the processes of a test, which runs `speed` times as fast as the machine's from its making on. */
export class FastClock {
  readonly speed: number
  readonly #origin = Date.now()
  readonly #ahead: number
  readonly #host: string | undefined

  /** `now`: the time that it starts at, in ms since the epoch; `host`: the name of the machine that it is on. */
  constructor(speed: number, { now, host }: { readonly now?: number; readonly host?: string } = {}) {
    this.speed = speed
    this.#ahead = now === undefined ? 0 : now - this.#origin
    this.#host = host
  }

  /** What the processes take the time to be now, in ms since the epoch. */
  wall(): number {
    return this.#origin + this.#ahead + (Date.now() - this.#origin) * this.speed
  }

  /** A time of theirs as an HTTP date. */
  httpDate(inMs: number): string {
    return new Date(this.wall() + inMs).toUTCString()
  }

  /** The environment of such a process. */
  get env(): Record<string, string> {
    const variable = JSON.stringify({
      speed: this.speed,
      origin: this.#origin,
      ahead: this.#ahead,
      host: this.#host,
    })
    return { NODE_OPTIONS: `--import=${PRELOAD}`, POSTHAUL_CLOCK: variable }
  }
}
