import { z } from 'zod'
import { errnoOf } from '../store/file-error.ts'
import { writeFileAtomic } from '../store/own-file.ts'
import { readWhole } from '../store/read-file.ts'
import type { Store } from '../store/store.ts'
import { parsedOrNone } from '../text/json.ts'
import { KIB, MS_PER_MINUTE } from '../text/units.ts'
import type { ImportProgress } from './outcome.ts'

/** A file on this machine, or one in a bucket. */
export type PaceFile = string | { readonly store: Store; readonly name: string }

/** No line of ours is longer. */
const MOST_BYTES = 16 * KIB

const count = z.number().nonnegative()

/** A line of the pace log; pace-log.ts says what it means. */
const lineSchema = z.object({
  at: z.string(),
  delivered: count,
  rejected: count,
  per_minute: z.number(),
  waits: count,
  waited_ms: count,
  bytes_done: count.nullable(),
  bytes_total: count.nullable(),
  last_error: z.object({ at: z.string(), reason: z.string() }).nullable(),
})

export type PaceLine = z.infer<typeof lineSchema>

/** What the last minute of an import did. Undefined if nobody noted it, or it can't be read: nothing depends on it. */
export async function lastPace(file: PaceFile): Promise<PaceLine | undefined> {
  try {
    const bytes =
      typeof file === 'string'
        ? await readWhole(file, { mostBytes: MOST_BYTES })
        : ((await file.store.load(file.name))?.bytes ?? [])
    return lineSchema.safeParse(parsedOrNone(Buffer.from(bytes).toString())).data
  } catch (error) {
    if (typeof file === 'string' && errnoOf(error) !== undefined) return undefined
    throw error
  }
}

/** The most characters of an error that are kept: it can be the answer of a server. */
const REASON_CHARS = 500

export interface PaceLogOptions {
  readonly file: PaceFile
  /** What the import has done so far, over all its runs. */
  readonly look: () => ImportProgress
  /** Called once, when it cannot be written. The import goes on. */
  readonly failed: (error: unknown) => void
}

/**
 * Writes what the last minute of an import did, as a line of JSON that takes the place of the one before:
 * `{"at":"<ISO time>","delivered":n,"rejected":n,"per_minute":n,"waits":n,"waited_ms":n,"bytes_done":n,"bytes_total":n,
 * "last_error":null}`. `delivered` and `rejected` are those of the whole import; `per_minute` are the events delivered since
 * the line before, of a minute where it is longer ago; `waits` the pauses before requests were tried again, and `waited_ms`
 * their length; the bytes are those of the input, as stored; `last_error` has the time (`at`)
 * and the `reason` of the run's last failure. The last minute of a run is written, too, unless nothing happened in it. It is for people and pages: no import depends on it.
 */
export class PaceLog {
  readonly #options: PaceLogOptions
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #broken = false
  #at = performance.now()
  #before: ImportProgress
  #lastError: PaceLine['last_error'] = null
  #waits = 0
  #waitedMs = 0

  constructor(options: PaceLogOptions) {
    this.#options = options
    this.#before = options.look()
    this.#timer = setInterval(() => this.#note(), MS_PER_MINUTE)
    this.#timer.unref()
  }

  /** Counts a pause before a request is tried again. `reason`: why, without any secret. */
  waiting(ms: number, reason: string): void {
    this.#waits++
    this.#waitedMs += ms
    this.#failed(reason)
  }

  /** Writes the last line. `error`: why the run ended, without any secret. Resolves when all are written, or cannot be. */
  async stop(error?: string): Promise<void> {
    clearInterval(this.#timer)
    if (error !== undefined) this.#failed(error)
    const { delivered, rejected } = this.#options.look()
    const { delivered: sent, rejected: refused } = this.#before
    const isNews = delivered !== sent || rejected !== refused || this.#waits > 0 || error !== undefined
    if (isNews) this.#note()
    await this.#writing
  }

  #failed(reason: string): void {
    this.#lastError = { at: new Date().toISOString(), reason: reason.slice(0, REASON_CHARS) }
  }

  #note(): void {
    const now = performance.now()
    const done = this.#options.look()
    const { delivered, rejected, doneBytes, totalBytes } = done
    const minutes = Math.max(1, (now - this.#at) / MS_PER_MINUTE)
    const line: PaceLine = {
      at: new Date().toISOString(),
      delivered,
      rejected,
      per_minute: Math.round((delivered - this.#before.delivered) / minutes),
      waits: this.#waits,
      waited_ms: Math.round(this.#waitedMs),
      bytes_done: doneBytes,
      bytes_total: totalBytes,
      last_error: this.#lastError,
    }
    this.#at = now
    this.#before = done
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
    if (typeof file === 'string') await writeFileAtomic(file, line)
    else await file.store.put(file.name, Buffer.from(line))
  }
}
