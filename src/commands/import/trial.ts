import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { InputSource } from '../../delivery/intake.ts'
import { PosthaulError } from '../../errors.ts'
import type { GuardedRun } from '../../guards/guards.ts'
import { MOST_OTHERS } from '../../guards/trial.ts'
import { hasBegun, type KnownProject } from '../../imports/import-guards.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import { DAYS_MS } from '../../imports/project-there.ts'
import { trialIdOf } from '../../record/notes.ts'
import { countMarked } from '../../service/events-by-day.ts'
import { assertNamed } from '../confirm.ts'

/**
 * Asks, before the first event of a trial, whether the project is one to try an import in: it holds nothing of the whole, and
 * at most 100,000 events of others, and has the name that the user gave. A trial that goes on has asked.
 */
export async function assertTrialProject(
  order: Pick<ImportOrder, 'place' | 'guards'>,
  source: InputSource,
  project: KnownProject | undefined,
  /** What the import's earlier runs did. */
  saved: CheckpointState | undefined,
  guards: Pick<GuardedRun, 'look'>,
): Promise<void> {
  const { trial } = source
  if (!trial || hasBegun(order, saved)) return
  if (!project) {
    throw new PosthaulError(
      'a trial needs a personal key, by which the project is asked what it holds; nothing was sent',
      {
        code: 'usage',
        hint: 'set POSTHOG_PERSONAL_API_KEY, with the scopes project:read and query:read',
      },
    )
  }
  const { name } = project
  const ids = [[trial.whole_import_id], [trialIdOf(trial.whole_import_id)]]
  // All events are counted first: where there are too many, it would take long to look into them.
  const most = MOST_OTHERS + 2 * trial.whole_events
  const [events = 0, whole = 0, own = 0] = await project.ask(async (asked) => {
    const all = await countMarked(asked, [])
    return all[0] === 0 || all[0]! > most ? all : countMarked(asked, ids)
  }, DAYS_MS)
  guards.look({ trial: { project: name, whole, others: events - own } })
  assertNamed(order.guards.trial!, name, 'nothing was sent')
}
