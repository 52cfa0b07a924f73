import { stillThere } from '../../delivery/checkpoint.ts'
import { PosthaulError } from '../../errors.ts'
import { openState, statePlace } from '../../imports/state-place.ts'
import { standingAt } from '../../imports/undo-standing.ts'
import { isAtWork, type UndoSeen, undoneWords } from '../../imports/undo-words.ts'
import type { Io } from '../../io.ts'
import type { RunStep } from '../../migration/stages.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'

export type BegunImports = ReturnType<typeof begunImports>

/** What became of the imports of a migration, by their checkpoints. */
export function begunImports(location: string, env: Io['env']) {
  let names: Promise<string[]> | undefined
  const list = async () => (await (await openStore(location)).list()).map(({ name }) => name)
  const placeOf = ({ events }: RunStep) => statePlace({ input: events, state: location }, env)
  const load = async (step: RunStep) => {
    const state = await openState(placeOf(step))
    const loaded = await state.load().catch((error: unknown) => {
      // No import has begun.
      if (error instanceof PosthaulError && error.code === 'usage') return undefined
      throw error
    })
    return loaded?.state
  }
  return {
    location,
    /** The import of a window, if one was begun: events that it sent and that were not deleted since, and its dataset. */
    async begun(step: RunStep) {
      const state = await load(step)
      if (!state) return undefined
      const { input } = state
      const manifest = input.kind === 'dataset' ? input.manifest_sha256 : ''
      return { delivered: stillThere(state), manifest }
    },
    /**
     * The request that deletes, or has deleted, what the import of a window sent. A folder has the state of many windows: it
     * is read only where a request was made.
     */
    async undo(step: RunStep): Promise<UndoSeen | undefined> {
      names ??= list()
      if (!(await names).some((name) => name.endsWith('.undo.json'))) return undefined
      const state = await load(step)
      return state && standingAt(placeOf(step), state, step.events)
    },
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
