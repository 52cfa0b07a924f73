import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { errnoOf } from '../store/file-error.ts'
import { openOwn, writeFileAtomic } from '../store/own-file.ts'
import { readSpan, readWhole } from '../store/read-file.ts'
import type { Store } from '../store/store.ts'
import { parsedOrNone } from '../text/json.ts'
import { KIB, MIB, MS_PER_MINUTE } from '../text/units.ts'
import type { ImportProgress } from './outcome.ts'

/** A file on this machine, or one in a bucket. */
export type PaceFile = string | { readonly store: Store; readonly name: string }

/** The end of the file that is read: some lines, the last of which is whole or half written. */
const TAIL_BYTES = 16 * KIB

/** No log of ours is larger. */
const MOST_BYTES = 32 * MIB

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

/** The last whole line of a pace log. Undefined if the log is empty or can't be read: nothing depends on it. */
export async function lastPace(file: PaceFile): Promise<PaceLine | undefined> {
  const text = await tailOf(file)
  for (const line of text.split('\n').reverse()) {
    const parsed = lineSchema.safeParse(parsedOrNone(line))
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** All lines of a pace log that can be read; none if there is no log. It has two weeks of minutes at most. */
export async function allPace(file: PaceFile): Promise<PaceLine[]> {
  return (await textOf(file))
    .split('\n')
    .flatMap((line) => lineSchema.safeParse(parsedOrNone(line)).data ?? [])
}

/** The text of a log; '' if there is none. */
async function textOf(file: PaceFile): Promise<string> {
  const bytes =
    typeof file !== 'string'
      ? ((await file.store.load(file.name))?.bytes ?? [])
      : await readWhole(file, { mostBytes: MOST_BYTES }).catch((error: unknown) => {
          if (errnoOf(error) === 'ENOENT') return []
          throw error
        })
  return Buffer.from(bytes).toString()
}

async function tailOf(file: PaceFile): Promise<string> {
  if (typeof file !== 'string') return (await textOf(file)).slice(-TAIL_BYTES)
  try {
    const { size } = await stat(file)
    return (await readSpan(file, TAIL_BYTES, Math.max(0, size - TAIL_BYTES))).toString()
  } catch (error) {
    if (errnoOf(error) !== undefined) return ''
    throw error
  }
}

/** The most lines that are kept: a week of minutes. */
const MOST_LINES = 10_080

/** A log in a bucket is sent as a whole, so the longer it is the less often: no more than so many lines a minute. */
const LINES_SENT_A_MINUTE = 1000

/** The most characters of an error that are kept: it can be the answer of a server. */
const REASON_CHARS = 500

export interface PaceLogOptions {
  /** A file on this machine is appended to; one in a bucket is written anew, a long one for several lines at once. */
  readonly file: PaceFile
  /** What the import has done so far, over all its runs. */
  readonly look: () => ImportProgress
  /** Called once, when the log cannot be written. The import goes on. */
  readonly failed: (error: unknown) => void
}

/**
 * Writes what an import does each minute, as a line of JSON:
 * `{"at":"<ISO time>","delivered":n,"rejected":n,"per_minute":n,"waits":n,"waited_ms":n,"bytes_done":n,"bytes_total":n,
 * "last_error":null}`. `delivered` and `rejected` are those of the whole import; `per_minute` are the events delivered since
 * the line before, of a minute where it is longer ago; `waits` the pauses before requests were tried again, and `waited_ms`
 * their length; the bytes are those of the input, as stored; `last_error` has the time (`at`)
 * and the `reason` of the run's last failure. The last minute of a run has a line of its own, unless nothing happened in it. The log is for people and pages: no import depends on it.
 */
export class PaceLog {
  readonly #options: PaceLogOptions
  readonly #timer: NodeJS.Timeout
  #lines: string[] | undefined
  #writing: Promise<void> = Promise.resolve()
  #broken = false
  #at = performance.now()
  #before: ImportProgress
  #lastError: PaceLine['last_error'] = null
  #waits = 0
  #waitedMs = 0
  /** Lines that a bucket doesn't have yet. */
  #unsent = 0

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
    if (this.#unsent > 0) await this.#send().catch((error: unknown) => this.#giveUp(error))
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
      .catch((error: unknown) => this.#giveUp(error))
  }

  #giveUp(error: unknown): void {
    if (!this.#broken) this.#options.failed(error)
    this.#broken = true
  }

  async #write(line: string): Promise<void> {
    if (this.#broken) return
    const { file } = this.#options
    const isFirst = this.#lines === undefined
    this.#lines ??= (await textOf(this.#options.file)).match(/.*\n/g) ?? []
    this.#lines.push(line)
    const isLocal = typeof file === 'string'
    const isFull = this.#lines.length > (isLocal ? 2 * MOST_LINES : MOST_LINES)
    if (isFull) this.#lines = this.#lines.slice(-MOST_LINES)
    if (!isLocal) await this.#sendIfDue(isFirst)
    // The first line of a run also removes what a run that was killed left half written.
    else if (isFirst || isFull) await writeFileAtomic(file, this.#lines.join(''))
    else await append(file, line)
  }

  /** The first line of a run tells how fast it is. */
  async #sendIfDue(isFirst: boolean): Promise<void> {
    this.#unsent++
    if (isFirst || this.#lines!.length <= this.#unsent * LINES_SENT_A_MINUTE) await this.#send()
  }

  /** Writes the log of a bucket anew. */
  async #send(): Promise<void> {
    const { file } = this.#options
    if (typeof file === 'string' || this.#broken) return
    this.#unsent = 0
    await file.store.put(file.name, Buffer.from((this.#lines ?? []).join('')))
  }
}

async function append(path: string, line: string): Promise<void> {
  const file = await openOwn(path, 'append')
  try {
    await file.writeFile(line)
  } finally {
    await file.close()
  }
}
