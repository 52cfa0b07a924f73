import type { Clock } from '../http/clock.ts'
import { MIB } from '../units.ts'
import { type CheckpointState, saveCheckpoint } from './checkpoint.ts'
import type { RejectsFile } from './rejects-file.ts'

/** A checkpoint without what the journal itself adds. */
export type Snapshot = Omit<CheckpointState, 'rejects' | 'saved_at'>

export interface CheckpointWriterOptions {
  readonly path: string
  readonly rejects: RejectsFile
  readonly clock: Clock
  /** The run as it stands. Called between two events of the event loop, so that all of it belongs together. */
  readonly snapshot: () => Snapshot
  /** A save failed: nothing more may be acknowledged. */
  readonly failed: (error: unknown) => void
}

// What a kill can cost: so much of what was acknowledged is sent again, and merges.
const EVERY_MS = 500
const REJECT_BYTES = 8 * MIB

/** Brings acknowledgements to disk: rejects first, then the checkpoint that counts them. One save at a time. */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions
  #pending: string[] = []
  #pendingBytes = 0
  #dirty = false
  /** Ends with the last save that was asked for; never rejects. */
  #saves: Promise<unknown> = Promise.resolve()
  #under = 0
  #failure: { readonly error: unknown } | undefined
  #savedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(options: CheckpointWriterOptions) {
    this.#options = options
  }

  /** Something was acknowledged, these rejects with it. Waits only when rejects pile up. */
  async record(rejects: readonly string[]): Promise<void> {
    for (const line of rejects) {
      this.#pending.push(line)
      this.#pendingBytes += line.length
    }
    this.#dirty = true
    if (this.#pendingBytes > REJECT_BYTES) await this.flush()
    else this.#schedule()
  }

  /** Saves what is acknowledged by now, after any save that is under way. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#under++
    const save = this.#saves
      .then(() => this.#save())
      .finally(() => {
        this.#under--
        if (this.#dirty && !this.#failure) this.#schedule()
      })
    this.#saves = save.catch(() => undefined)
    return save
  }

  #schedule(): void {
    if (this.#timer || this.#under > 0) return
    const wait = this.#savedAt + EVERY_MS - this.#options.clock.now()
    // The first acknowledgement after a while is saved at once: a slow import loses nothing to a kill.
    if (wait <= 0) this.#background()
    else this.#timer = setTimeout(() => this.#background(), wait)
  }

  #background(): void {
    this.flush().catch((error: unknown) => this.#options.failed(error))
  }

  async #save(): Promise<void> {
    // The lines of a save that failed are not in the file: a later one would count them as if they were.
    if (this.#failure) throw this.#failure.error
    const { path, rejects, clock, snapshot } = this.#options
    // These three belong to one instant: no await before they are all taken.
    const lines = this.#pending
    const state = snapshot()
    const saved_at = new Date(clock.wall()).toISOString()
    this.#pending = []
    this.#pendingBytes = 0
    this.#dirty = false
    try {
      await rejects.append(lines)
      await saveCheckpoint(path, { ...state, saved_at, rejects: rejects.digest })
    } catch (error) {
      this.#failure = { error }
      throw error
    }
    this.#savedAt = clock.now()
  }
}
