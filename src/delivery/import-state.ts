import { type Cell, storeCell } from '../state/cell.ts'
import { type GenerationsCell, generationsCell } from '../state/generations.ts'
import { FileLog, type LineLog, LogKind, PieceLog } from '../state/line-log.ts'
import type { Store } from '../store/index.ts'
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
export interface StatePaths {
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
