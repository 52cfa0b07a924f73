import { PosthaulError } from './errors.ts'
import { untilAborted } from './http/clock.ts'
import { LONGEST_TIMER_MS, MS_PER_SECOND } from './text/units.ts'

/** How long a run that keeps state may take to end, where no option says it. */
export const DRAIN_MS = 10 * MS_PER_SECOND

/** The state that is in a bucket is saved, and its locks given back, after the last request. A bucket can hang too. */
const SAVING_MS = MS_PER_SECOND
/** The part of that time in which the process ends. */
const ENDING_MS = 300

/**
 * The end of a run that was told to stop, by a signal or by itself. First come the requests under way, which are worth
 * waiting for: `over` aborts when their time is over. Then the state is saved. Whatever still hangs a second later is
 * left behind, as by a kill: every wait ends here, also one that listens to nothing.
 */
export class Drain {
  readonly #interrupted: AbortSignal
  readonly #over = new AbortController()
  readonly #saved = new AbortController()
  #ms = 0
  #begunAt: number | undefined
  #timers: NodeJS.Timeout[] = []
  #giveUp: (() => void) | undefined
  #isOverdue = false

  /** The drain begins when `interrupted` aborts, at the latest. */
  constructor(interrupted: AbortSignal) {
    this.#interrupted = interrupted
  }

  /** Aborts when the requests under way have had their time. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** True once a run was left behind: it may still hold connections. */
  get isOverdue(): boolean {
    return this.#isOverdue
  }

  /** Gives the requests under way `ms` milliseconds. Without a call they get no time: most commands only read. */
  allow(ms: number): void {
    this.#ms = ms
    this.#schedule()
  }

  /** The run stops: its time begins to pass. Later calls change nothing. */
  begin(): void {
    this.#begunAt ??= performance.now()
    this.#schedule()
  }

  /** Waits for a whole run. Throws when it is still not over a second after its drain: code `interrupted` after a signal. */
  async within<T>(run: Promise<T>): Promise<T> {
    const overdue = new Promise<never>((_, reject) => {
      this.#giveUp = () => {
        this.#isOverdue = true
        reject(this.#error())
      }
    })
    // Before the run and after it nobody waits. A program's signal can outlive thousands of runs: no listener stays with it.
    const begin = () => this.begin()
    this.#interrupted.addEventListener('abort', begin, { once: true })
    if (this.#interrupted.aborted) begin()
    else this.#schedule()
    try {
      return await Promise.race([run, overdue])
    } finally {
      this.#interrupted.removeEventListener('abort', begin)
      this.#giveUp = undefined
      this.#schedule()
    }
  }

  /** Waits for what comes after the result, such as giving back a lock. If it hangs, the result counts all the same. */
  async tidy(work: Promise<unknown>): Promise<void> {
    await untilAborted(work, this.#saved.signal)
  }

  #schedule(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    // Before the run and after it nobody waits, and a timer would keep the process alive.
    if (this.#begunAt === undefined || !this.#giveUp) return
    const until = this.#begunAt + Math.min(this.#ms, LONGEST_TIMER_MS - SAVING_MS)
    const left = Math.max(0, until - performance.now())
    this.#timers = [
      setTimeout(() => this.#over.abort(), left),
      setTimeout(() => this.#saved.abort(), left + SAVING_MS - ENDING_MS),
      setTimeout(() => this.#giveUp?.(), left + SAVING_MS),
    ]
  }

  #error(): PosthaulError {
    if (!this.#interrupted.aborted) {
      return new PosthaulError('the run was told to stop, and what it waited for did not answer', {
        code: 'unavailable',
        hint: 'what was saved is kept; run the same command again later',
      })
    }
    if (this.#ms === 0) return new PosthaulError('interrupted', { code: 'interrupted' })
    return new PosthaulError('interrupted, and what the run waited for did not answer in time', {
      code: 'interrupted',
      hint: 'what was saved is kept, as after a kill; import.drain in posthaul.config.json gives an import more time',
    })
  }
}

/** Resolves once the signal is aborted. */
export function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
