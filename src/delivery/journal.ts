import { type CheckpointState, saveCheckpoint } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import type { RejectsFile } from './rejects-file.ts'

/** A checkpoint without what the journal itself adds. */
export type Snapshot = Omit<CheckpointState, 'rejects' | 'saved_at'>

export interface JournalOptions {
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
const REJECT_BYTES = 8 * 1024 * 1024

/** Brings acknowledgements to disk: rejects first, then the checkpoint that counts them. One save at a time. */
export class Journal {
  readonly #options: JournalOptions
  #pending: string[] = []
  #pendingBytes = 0
  #dirty = false
  #saving: Promise<void> | undefined
  #savedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(options: JournalOptions) {
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

  /** Saves what is acknowledged by now. */
  async flush(): Promise<void> {
    await this.#saving
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#save()
  }

  #schedule(): void {
    if (this.#timer || this.#saving) return
    const wait = this.#savedAt + EVERY_MS - this.#options.clock.now()
    // The first acknowledgement after a while is saved at once: a slow import loses nothing to a kill.
    if (wait <= 0) this.#background()
    else this.#timer = setTimeout(() => this.#background(), wait)
  }

  #background(): void {
    this.#timer = undefined
    this.#saving = this.#save()
      .catch((error: unknown) => this.#options.failed(error))
      .finally(() => {
        this.#saving = undefined
        if (this.#dirty) this.#schedule()
      })
  }

  async #save(): Promise<void> {
    const { path, rejects, clock, snapshot } = this.#options
    // These three belong to one instant: no await before they are all taken.
    const lines = this.#pending
    const state = snapshot()
    const saved_at = new Date(clock.wall()).toISOString()
    this.#pending = []
    this.#pendingBytes = 0
    this.#dirty = false
    await rejects.append(lines)
    await saveCheckpoint(path, { ...state, saved_at, rejects: rejects.digest })
    this.#savedAt = clock.now()
  }
}
