import type { Clock } from '../http/index.ts'
import type { OpenLog } from '../state/line-log.ts'
import { inMidRun } from '../store/index.ts'
import { MIB } from '../text/index.ts'
import type { CheckpointState } from './checkpoint.ts'
import type { ImportState } from './import-state.ts'

/** A checkpoint without the fields that the writer adds. */
export type CheckpointSnapshot = Omit<CheckpointState, 'rejects' | 'saved_at'>

export interface CheckpointWriterOptions {
  readonly state: Pick<ImportState, 'save'>
  readonly rejects: OpenLog
  readonly clock: Clock
  /** The state of the run now. Called without an await inside, so that all its fields belong to one instant. */
  readonly snapshot: () => CheckpointSnapshot
  /** Throws once another run has the import: its checkpoint must not be written over. */
  readonly look: () => Promise<void>
  /** Called when a save fails: nothing more may be acknowledged. */
  readonly failed: (error: unknown) => void
}

// A kill loses at most this much of the acknowledgements: those events are sent again, and merge.
const EVERY_MS = 500
const REJECT_BYTES = 8 * MIB

/** Saves acknowledgements: first the rejects, then the checkpoint that counts them. One save at a time. */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions
  #pending: string[] = []
  #pendingBytes = 0
  #dirty = false
  /** Resolves after the last save that was requested; never rejects. */
  #saves: Promise<unknown> = Promise.resolve()
  #underWay = 0
  #failure: { readonly error: unknown } | undefined
  #savedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(options: CheckpointWriterOptions) {
    this.#options = options
  }

  /** Notes that a batch was acknowledged, with these rejects. Waits only when many rejects are unsaved. */
  async record(rejects: readonly string[]): Promise<void> {
    for (const line of rejects) {
      this.#pending.push(line)
      this.#pendingBytes += line.length
    }
    this.#dirty = true
    if (this.#pendingBytes > REJECT_BYTES) await this.flush()
    else this.#schedule()
  }

  /** Saves all that is acknowledged now, after any save that is under way. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#underWay++
    const save = this.#saves
      .then(() => this.#save())
      .finally(() => {
        this.#underWay--
        if (this.#dirty && !this.#failure) this.#schedule()
      })
    this.#saves = save.catch(() => undefined)
    return save
  }

  #schedule(): void {
    if (this.#timer || this.#underWay > 0) return
    const wait = this.#savedAt + EVERY_MS - this.#options.clock.now()
    // The first acknowledgement after a pause is saved at once: a kill of a slow import loses nothing.
    if (wait <= 0) this.#background()
    else this.#timer = setTimeout(() => this.#background(), wait)
  }

  #background(): void {
    this.flush().catch((error: unknown) => this.#options.failed(error))
  }

  async #save(): Promise<void> {
    // The rejects of a failed save are not in the file. A later save would count them as if they were. And a place that
    // was taken stays taken: trying again at once, and again, would leave this process no time for anything else.
    if (this.#failure) throw this.#failure.error
    const { state, rejects, clock, look, snapshot } = this.#options
    try {
      await look()
      // These three must belong to one instant, so there is no await between them.
      const lines = this.#pending
      const now = snapshot()
      const saved_at = new Date(clock.wall()).toISOString()
      this.#pending = []
      this.#pendingBytes = 0
      this.#dirty = false
      const save = async () => {
        await rejects.append(lines)
        await state.save({ ...now, saved_at, rejects: rejects.digest })
      }
      await save().catch(async (error: unknown) => {
        // Files go away under a run whose place was taken meanwhile: then that is the reason to tell.
        await look()
        throw error
      })
    } catch (error) {
      const told = this.#savedAt === Number.NEGATIVE_INFINITY ? error : inMidRun(error)
      this.#failure = { error: told }
      throw told
    }
    this.#savedAt = clock.now()
  }
}
