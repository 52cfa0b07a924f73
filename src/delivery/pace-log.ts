import { appendFile, readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../store/atomic-file.ts'
import { errnoOf } from '../store/file-error.ts'
import type { Store } from '../store/store.ts'
import { MS_PER_MINUTE } from '../units.ts'

/** The most lines that are kept: a week of minutes. */
const MOST_LINES = 10_080

/** What an import has done so far, over all its runs. */
export interface Done {
  readonly delivered: number
  readonly rejected: number
}

export interface PaceLogOptions {
  /** A file on this machine, which is appended to; or one in a bucket, which is written anew for each line. */
  readonly file: string | { readonly store: Store; readonly name: string }
  readonly look: () => Done
  /** Called once, when the log cannot be written. The import goes on. */
  readonly failed: (error: unknown) => void
}

/**
 * Writes what an import does each minute, as a line of JSON:
 * `{"at":"<ISO time>","delivered":n,"rejected":n,"per_minute":n,"waits":n,"waited_ms":n}`. `delivered` and `rejected` are
 * those of the whole import; `per_minute` are the events delivered since the line before, of a minute where it is longer
 * ago; `waits` the pauses before requests were tried again, and `waited_ms` their length. The last minute of a run has a
 * line of its own, unless nothing happened in it. The log is for people and pages: no import depends on it.
 */
export class PaceLog {
  readonly #options: PaceLogOptions
  readonly #timer: NodeJS.Timeout
  #lines: string[] | undefined
  #writing: Promise<void> = Promise.resolve()
  #broken = false
  #at = performance.now()
  #before: Done
  #waits = 0
  #waitedMs = 0

  constructor(options: PaceLogOptions) {
    this.#options = options
    this.#before = options.look()
    this.#timer = setInterval(() => this.#note(), MS_PER_MINUTE)
    this.#timer.unref()
  }

  /** Counts a pause before a request is tried again. */
  waiting(ms: number): void {
    this.#waits++
    this.#waitedMs += ms
  }

  /** Writes the last line. Resolves when all are written, or cannot be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const { delivered, rejected } = this.#options.look()
    const { delivered: sent, rejected: refused } = this.#before
    if (delivered !== sent || rejected !== refused || this.#waits > 0) this.#note()
    await this.#writing
  }

  #note(): void {
    const now = performance.now()
    const { delivered, rejected } = this.#options.look()
    const minutes = Math.max(1, (now - this.#at) / MS_PER_MINUTE)
    const line = {
      at: new Date().toISOString(),
      delivered,
      rejected,
      per_minute: Math.round((delivered - this.#before.delivered) / minutes),
      waits: this.#waits,
      waited_ms: Math.round(this.#waitedMs),
    }
    this.#at = now
    this.#before = { delivered, rejected }
    this.#waits = 0
    this.#waitedMs = 0
    this.#writing = this.#writing
      .then(() => this.#write(`${JSON.stringify(line)}\n`))
      .catch((error: unknown) => {
        if (!this.#broken) this.#options.failed(error)
        this.#broken = true
      })
  }

  async #write(line: string): Promise<void> {
    if (this.#broken) return
    const { file } = this.#options
    const isFirst = this.#lines === undefined
    this.#lines ??= (await this.#read()).match(/.*\n/g) ?? []
    this.#lines.push(line)
    const isLocal = typeof file === 'string'
    const isFull = this.#lines.length > (isLocal ? 2 * MOST_LINES : MOST_LINES)
    if (isFull) this.#lines = this.#lines.slice(-MOST_LINES)
    if (!isLocal) await file.store.put(file.name, Buffer.from(this.#lines.join('')))
    // The first line of a run also removes what a run that was killed left half written.
    else if (isFirst || isFull) await writeFileAtomic(file, this.#lines.join(''))
    else await appendFile(file, line)
  }

  async #read(): Promise<string> {
    const { file } = this.#options
    if (typeof file !== 'string') {
      return Buffer.from((await file.store.load(file.name))?.bytes ?? []).toString()
    }
    return readFile(file, 'utf8').catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return ''
      throw error
    })
  }
}
