import { type CheckpointState, stillThere } from '../../delivery/checkpoint.ts'
import { PosthaulError } from '../../errors.ts'
import { openState, statePlace } from '../../imports/state-place.ts'
import { standingAt } from '../../imports/undo-standing.ts'
import { isAtWork, type UndoSeen, undoneWords } from '../../imports/undo-words.ts'
import type { Io } from '../../io.ts'
import type { RunStep } from '../../migration/stages.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'

/** What became of the imports of a migration, by their checkpoints. */
export class BegunImports {
  readonly location: string
  readonly #env: Io['env']
  #names: Promise<string[]> | undefined

  constructor(location: string, env: Io['env']) {
    this.location = location
    this.#env = env
  }

  /** The import of a window, if one was begun: events that it sent and that were not deleted since, and its dataset. */
  async begun(step: RunStep) {
    const state = await this.#load(step)
    if (!state) return undefined
    const { input } = state
    const manifest = input.kind === 'dataset' ? input.manifest_sha256 : ''
    return { delivered: stillThere(state), manifest }
  }

  /**
   * The request that deletes, or has deleted, what the import of a window sent. A folder has the state of many windows: it
   * is read only where a request was made.
   */
  async undo(step: RunStep): Promise<UndoSeen | undefined> {
    this.#names ??= this.#list()
    const names = await this.#names
    if (!names.some((name) => name.endsWith('.undo.json'))) return undefined
    const place = this.#placeOf(step)
    const state = await this.#load(step)
    return state && standingAt(place, state, step.events)
  }

  async #list(): Promise<string[]> {
    const files = await (await openStore(this.location)).list()
    return files.map(({ name }) => name)
  }

  async #load(step: RunStep): Promise<CheckpointState | undefined> {
    const state = await openState(this.#placeOf(step))
    const loaded = await state.load().catch((error: unknown) => {
      // No import has begun.
      if (error instanceof PosthaulError && error.code === 'usage') return undefined
      throw error
    })
    return loaded?.state
  }

  #placeOf({ events }: RunStep) {
    return statePlace({ input: events, state: this.location }, this.#env)
  }
}

/** Why a window whose import is taken back is not imported again by itself. */
export function undoneError({ window }: RunStep, undo: UndoSeen): PosthaulError {
  return new PosthaulError(
    `the import of ${window} is ${undoneWords(undo.request)} (${undo.request.status})`,
    {
      code: 'mismatch',
      hint: isAtWork(undo)
        ? `${undo.follow} says how far that is; once it is done, --changed resend sends the events anew`
        : '--changed resend sends them anew; so does a run after the mapping has changed',
    },
  )
}

/** The manifest of a window's events: `2024-03-01_2024-03-02/manifest.json`. */
const WINDOW = /^(\d{4}-[^/_]+_\d{4}-[^/_]+)\/manifest\.json$/

/**
 * Code `mismatch` if there are events of windows, although no window was begun: the file that says so was lost. A schedule
 * would cut other windows by now, and send once more what they share. `window`: the one that is to begin.
 */
export async function assertWindowsKnown(events: Store, window: string): Promise<void> {
  const names = (await events.list()).flatMap(({ name }) => WINDOW.exec(name)?.[1] ?? [])
  const other = names.find((name) => name !== window)
  if (other === undefined) return
  throw new PosthaulError(`${events.location} has events of ${other}, and nothing says what became of them`, {
    code: 'mismatch',
    lines: ['state/run.json in the store, which said it, is gone; begun anew, all would be sent once more'],
    hint: 'bring run.json back from a backup, or name another folder in store to begin anew',
  })
}
