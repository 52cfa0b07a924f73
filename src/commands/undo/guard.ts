import { PosthaulError } from '../../errors.ts'
import { shellWord } from '../../shell-word.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import type { ImportSettings } from '../import-settings.ts'
import { isOver, readRequests, type UndoRequest, undoCells } from './record.ts'

/** Refuses, with code `mismatch`, to send events that a request for deletion would delete with the rest. */
export async function assertNotBeingUndone(
  { input, place }: Pick<ImportSettings, 'input' | 'place'>,
  key: string,
): Promise<void> {
  const requests = await readRequests(await undoCells(place, place.ledger, key))
  const active = requests.filter((request) => request.key === key && !isOver(request))
  if (active.length === 0) return
  const touches = input.kind === 'file' ? () => true : await touchesDataset(input.path)
  const found = active.find(touches)
  if (!found) return
  const of =
    input.kind === 'dataset' ? shellWord(input.path) : `--import-id ${shellWord(found.import_ids[0]!)}`
  throw new PosthaulError(
    `events of ${found.first} to ${found.last} are to be deleted from project ${found.project_id} (${found.status}): what is sent now would go with them`,
    {
      code: 'mismatch',
      hint: `posthaul undo ${of} --status says how far that is; import again once it is done`,
    },
  )
}

/** What events a request selects is known only when it is approved: all of the same id and days. */
async function touchesDataset(path: string): Promise<(request: UndoRequest) => boolean> {
  const { import_ids: ids, parts } = await readEventsManifest(await openStore(path))
  return ({ import_ids, first, last }) =>
    (ids === null || ids.some((id) => import_ids.includes(id))) &&
    parts.some(({ day }) => day >= first && day <= last)
}
