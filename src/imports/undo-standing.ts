import type { CheckpointState } from '../delivery/checkpoint.ts'
import { PosthaulError } from '../errors.ts'
import type { Cell } from '../state/cell.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { undoWords } from '../text/command-line.ts'
import { posthaulLine } from '../text/shell-word.ts'
import type { ImportOrder } from './import-order.ts'
import type { StatePlace } from './state-place.ts'
import { isOver, readRequests, shownRequest, type UndoRequest, undoCells } from './undo-record.ts'
import type { UndoSeen } from './undo-words.ts'

/** A request to delete events, some of which can be those of an import. */
interface Touching {
  readonly request: UndoRequest
  /** It names this import; one by an id alone is known by the record of the project. */
  readonly isOwn: boolean
}

/** The requests that touch an import. `cells`: of the project, then of the import. `dataset` is undefined for files, and for a dataset that isn't there to be read. */
async function requestsOn(
  cells: readonly Cell[],
  key: string,
  kind: 'dataset' | 'file' | 'files',
  dataset: string | undefined,
): Promise<Touching[]> {
  const own = new Set((await readRequests(cells.slice(1))).map(({ submission_id }) => submission_id))
  const all = (await readRequests(cells)).filter((request) => request.key === key)
  if (all.length === 0) return []
  // A file can hold events with any id, of any day: none is let in while a request is at work.
  const touches = kind === 'dataset' ? await touchesDataset(dataset) : (one: UndoRequest) => !isOver(one)
  return all
    .map((request) => ({ request, isOwn: own.has(request.submission_id) }))
    .filter(({ request, isOwn }) => isOwn || touches(request))
}

/** What events a request selects is known only when it is approved: all of the same id and days. */
async function touchesDataset(path: string | undefined): Promise<(request: UndoRequest) => boolean> {
  if (path === undefined) return () => false
  const reading = openStore(path).then(readEventsManifest)
  const manifest = await reading.catch((error: unknown) => {
    if (!(error instanceof PosthaulError)) throw error
  })
  if (!manifest) return () => false
  const { import_ids: ids, parts } = manifest
  return ({ import_ids, first, last }) =>
    (ids === null || ids.some((id) => import_ids.includes(id))) &&
    parts.some(({ day }) => day >= first && day <= last)
}

/**
 * The last request that deletes, or has deleted, events of an import that it sent before; undefined if none does. An
 * import that began anew after it is whole again.
 */
export async function undoStanding(
  cells: readonly Cell[],
  { target, input, started_at, command }: CheckpointState,
  dataset: string | undefined,
): Promise<UndoSeen | undefined> {
  const touching = await requestsOn(cells, target.key, input.kind, dataset)
  const found = touching.findLast(({ request }) => !isOver(request) || request.filed_at >= started_at)
  if (!found || (isOver(found.request) && found.request.left === null)) return undefined
  return seenAs(found, command)
}

/** The same of an import whose state is at a place. A checkpoint doesn't have the endpoint of a dataset in a bucket. */
export async function standingAt(
  place: Pick<StatePlace, 'location' | 'undo' | 'ledger'>,
  state: CheckpointState,
  dataset = localName(state),
): Promise<UndoSeen | undefined> {
  return undoStanding(await undoCells(place, place.ledger, state.target.key), state, dataset)
}

/** The input as the checkpoint names it; undefined in a bucket. */
export function localName({ input: { name } }: CheckpointState): string | undefined {
  return isS3(name) ? undefined : name
}

/** `argv`: the import's command line. */
function seenAs({ request, isOwn }: Touching, argv: readonly string[]): UndoSeen {
  const follow = posthaulLine(undoWords(argv, isOwn ? undefined : request.import_ids[0]))
  return { request: shownRequest(request), follow }
}

/** Refuses, with code `mismatch`, to send events that a request for deletion would delete with the rest. */
export async function assertNotBeingUndone(
  { source: { input }, place: { at } }: Pick<ImportOrder, 'source' | 'place'>,
  key: string,
  argv: readonly string[],
): Promise<void> {
  const dataset = input.kind === 'dataset' ? input.path : undefined
  const cells = await undoCells(at, at.ledger, key)
  const touching = await requestsOn(cells, key, input.kind, dataset)
  const found = touching.find(({ request }) => !isOver(request))
  if (!found) return
  const { first, last, project_id: project, status } = found.request
  throw new PosthaulError(
    `events of ${first} to ${last} are to be deleted from project ${project} (${status}): what is sent now would go with them`,
    {
      code: 'mismatch',
      hint: `${seenAs(found, argv).follow} says how far that is; import again once it is done`,
    },
  )
}
