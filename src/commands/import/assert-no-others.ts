import { stands } from '../../checks/project-side.ts'
import { OTHERS_REMEDY, othersLines } from '../../checks/words/of-service.ts'
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { PosthaulError } from '../../errors.ts'
import { DAYS_MS, hasBegun, type KnownProject, question } from '../../imports/import-guards.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import { daysThere } from '../../imports/project-there.ts'
import type { Io } from '../../io.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'

interface Sending {
  readonly order: Pick<ImportOrder, 'source' | 'place' | 'guards'>
  /** Undefined where nobody can be asked. */
  readonly project: KnownProject | undefined
  /** What the import's earlier runs did. */
  readonly saved: CheckpointState | undefined
  readonly io: Io
  readonly note: (text: string) => void
}

/**
 * Asks the project, before the first event of a dataset, whether it holds events of these days that would stand beside
 * those that are sent. Throws with code `found` if so, and only notes it with --accept-others, and with --send-again. An
 * import that goes on has asked; of files nobody knows the days before they are read.
 */
export async function assertNoOthers({ order, project, saved, io, note }: Sending): Promise<void> {
  const { input } = order.source
  const { sendAgain, acceptOthers, skipKeyCheck } = order.guards
  if (input.kind === 'file' || hasBegun(order, saved)) return
  if (!project) {
    // Whoever skips the check of the key is told of all that it leaves out.
    if (!skipKeyCheck)
      note('without a personal key nobody asks whether another import has brought events of these days')
    return
  }
  const store = await openStore(input.path)
  const manifest = await readEventsManifest(store)
  const asking = {
    days: Object.keys(manifest.days),
    importIds: manifest.import_ids,
    dataset: { store, manifest },
  }
  const side = await question(
    project.settings,
    io,
    (api) => daysThere(api, project.id, asking),
    DAYS_MS,
  ).catch((error: unknown) => {
    if (!acceptOthers || !(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    note(`whether another import has brought events of these days could not be asked: ${error.message}`)
    return undefined
  })
  if (!side || !stands(side)) return
  const lines = othersLines(side)
  if (acceptOthers || sendAgain) {
    for (const line of lines) note(line)
    return
  }
  throw new PosthaulError(
    'the project holds events of these days that those of this import would stand beside',
    {
      code: 'found',
      lines,
      hint: OTHERS_REMEDY,
    },
  )
}
