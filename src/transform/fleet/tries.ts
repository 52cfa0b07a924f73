import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { EXIT, type Fate, PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'
import { KIB, MS_PER_SECOND, type Stage } from '../../text/index.ts'
import { tryName } from './plan-file.ts'

/** How often a try says that it lives, in milliseconds. */
const BEAT_MS = 30 * MS_PER_SECOND
/** Characters of an error's text that are kept. */
const MOST_TEXT = 2000

/** What a try is of. */
export interface TryOrder {
  /** The plan's id. */
  readonly plan: string
  readonly stage: Stage
  readonly index: number
  /** Bytes that the task reads. */
  readonly of: number
}

/** Why a try failed. */
export interface TryError {
  /** The code of a PosthaulError; `bug` for any other. */
  readonly code: string
  /** The exit code of the process. */
  readonly exit: number
  readonly fate: Fate
  readonly message: string
  readonly hint: string | null
}

/** What is known of one try of a task. Times are of the clock of the try's machine. */
export interface TryRecord extends TryOrder {
  readonly state: 'running' | 'done' | 'failed'
  readonly host: string
  readonly pid: number
  readonly started_at: string
  /** When this was written. */
  readonly at: string
  /** Bytes that are read. */
  readonly bytes: number
  /** Seconds since the start. */
  readonly seconds: number
  /** Bytes of memory at the most. */
  readonly peak_memory: number
  readonly error: TryError | null
}

/**
 * The record of one try of a task, for people: no result depends on it, and a put that fails is no failure of the task.
 * While the try runs the record is replaced at each beat. At its end the record gets a name that says how it ended and
 * after how many seconds, so that a listing tells that of ten thousand tasks.
 */
export class Try {
  readonly #store: Store
  readonly #order: TryOrder
  readonly id: string
  readonly #began = Date.now()
  readonly #start = performance.now()
  #bytes = 0
  #puts: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  private constructor(store: Store, order: TryOrder) {
    this.#store = store
    this.#order = order
    // By name, the tries of a task are in the order of their starts.
    this.id = `${idTime(this.#began)}-${randomUUID().slice(0, 8)}`
  }

  /** Records that a try begins. It beats until it is told its end. */
  static async begin(store: Store, order: TryOrder, beatMs = BEAT_MS): Promise<Try> {
    const begun = new Try(store, order)
    await begun.#beat()
    let writing = false
    begun.#timer = setInterval(() => {
      // A slow store gets one record at a time.
      if (writing) return
      writing = true
      void begun.#beat().finally(() => {
        writing = false
      })
    }, beatMs)
    begun.#timer.unref()
    return begun
  }

  /** Counts bytes that were read since the last call. */
  progress(bytes: number): void {
    this.#bytes += bytes
  }

  async done(): Promise<void> {
    await this.#end('done', null)
  }

  /** `exit`: the exit code of the process where it is not the error's own, such as that of a signal. */
  async failed(error: unknown, exit?: number): Promise<void> {
    await this.#end('failed', tryError(error, exit))
  }

  async #end(state: 'done' | 'failed', error: TryError | null): Promise<void> {
    clearInterval(this.#timer)
    const { stage, index } = this.#order
    const record = this.#record(state, error)
    const ended = tryName(stage, index, `${this.id}.${state}.${Math.round(record.seconds)}`)
    await this.#put(ended, record)
    await this.#then(() => this.#store.remove(tryName(stage, index, this.id)))
  }

  #beat(): Promise<void> {
    const { stage, index } = this.#order
    return this.#put(tryName(stage, index, this.id), this.#record('running', null))
  }

  #put(name: string, record: TryRecord): Promise<void> {
    return this.#then(() => this.#store.put(name, Buffer.from(`${JSON.stringify(record)}\n`)))
  }

  /** One request at a time: a beat that is late must not come after the end. */
  #then(request: () => Promise<unknown>): Promise<void> {
    const asked = this.#puts.then(request).then(
      () => {},
      () => {},
    )
    this.#puts = asked
    return asked
  }

  #record(state: TryRecord['state'], error: TryError | null): TryRecord {
    return {
      ...this.#order,
      state,
      host: hostname(),
      pid: process.pid,
      started_at: new Date(this.#began).toISOString(),
      at: new Date().toISOString(),
      bytes: this.#bytes,
      seconds: (performance.now() - this.#start) / MS_PER_SECOND,
      peak_memory: process.resourceUsage().maxRSS * KIB,
      error,
    }
  }
}

/** `20240301T100000`: the time of a try's start in its name. */
function idTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
}

function tryError(error: unknown, exit: number | undefined): TryError {
  const known = error instanceof PosthaulError ? error : undefined
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: known?.code ?? 'bug',
    exit: exit ?? known?.exitCode ?? EXIT.bug,
    fate: known?.fate ?? 'stop',
    message: message.slice(0, MOST_TEXT),
    hint: known?.hint?.slice(0, MOST_TEXT) ?? null,
  }
}
