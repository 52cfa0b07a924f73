import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'

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
