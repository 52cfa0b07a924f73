import type { Clock } from '../http/clock.ts'
import { type Cell, type GenerationsCell, generationsCell, storeCell } from '../state/cell.ts'
import { type LineLog, LogKind, type OpenLog, PieceLog } from '../state/line-log.ts'
import { FileLog } from '../state/log-file.ts'
import { inMidRun } from '../store/file-error.ts'
import type { Store } from '../store/store.ts'
import { MIB } from '../text/units.ts'
import { CHECKPOINT, type CheckpointState, type LoadedCheckpoint } from './checkpoint.ts'

export const REJECTS_LOG = new LogKind({
  name: 'rejects',
  mendable: true,
  foreign: 'it holds the rejects of another run',
  changed: 'move it away (mend and import it from there); the import then goes on with a new one',
})

export const OWN_LOG = new LogKind({
  name: 'own events',
  mendable: false,
  foreign: 'it holds events that another import made and sent, which verify looks for',
  changed: 'restore it; or move it away, and verify will not know the events that it held',
})

/** Paths on this machine, or names of objects in a store. */
interface StatePaths {
  readonly checkpoint: string
  readonly rejects: string
  readonly own: string
}

/** Where an import keeps its checkpoint and the lines beside it. */
export class ImportState {
  /** Its address, for messages. */
  readonly checkpointPath: string
  readonly rejects: LineLog
  /** The events that the import made itself: see own-events.ts. */
  readonly own: LineLog
  readonly #cell: Cell | GenerationsCell
  #version: string | undefined

  private constructor(cell: Cell | GenerationsCell, rejects: LineLog, own: LineLog) {
    this.checkpointPath = cell.address
    this.rejects = rejects
    this.own = own
    this.#cell = cell
  }

  /** In files of this machine. */
  static local({ checkpoint, rejects, own }: StatePaths): ImportState {
    return new ImportState(
      generationsCell(checkpoint),
      new FileLog(rejects, REJECTS_LOG),
      new FileLog(own, OWN_LOG),
    )
  }

  /** In a bucket. Each save names the version that it replaces, so a run that has lost its lease can't go back in time. */
  static inBucket(store: Store, { checkpoint, rejects, own }: StatePaths): ImportState {
    return new ImportState(
      storeCell(store, checkpoint),
      new PieceLog(store, rejects, REJECTS_LOG),
      new PieceLog(store, own, OWN_LOG),
    )
  }

  /** The newest whole checkpoint; undefined if there is none. Throws `mismatch` or `usage` for one that is unreadable. */
  async load(): Promise<LoadedCheckpoint | undefined> {
    const loaded = await CHECKPOINT.load(this.#cell)
    this.#version = loaded?.version
    return loaded && { state: loaded.value, fellBack: loaded.fellBack }
  }

  /** Replaces the checkpoint, durably. */
  async save(state: CheckpointState): Promise<void> {
    const version = this.#version
    this.#version = await CHECKPOINT.save(this.#cell, state, version === undefined ? 'absent' : { version })
  }
}

/** A checkpoint without the fields that the writer adds. */
export type CheckpointSnapshot = Omit<CheckpointState, 'rejects' | 'saved_at'>

interface CheckpointWriterOptions {
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
