/*
 * What is asked to be deleted, in `<name>.undo.json` beside the import's checkpoint, and in `<project key>.undo.json` beside
 * the ledger, by which every import into the project knows.
 *
 * WHAT IT PROVES. A request has its submission id here before it is sent, so however often it is sent, the service files one.
 * Until it is over, no import sends events that it would delete: its query is run only when it is approved.
 * If the process dies after the record is saved, the next --request sends the same request again, and --status looks for
 * it. If it dies between the two files, the ledger's keeps all imports away: a request comes into it first, and is over in
 * it last. The next run reads the request there, and writes both.
 */
import { z } from 'zod'
import { type Cell, storeCell } from '../state/cell.ts'
import { CellKind, refused } from '../state/cell-kind.ts'
import { won } from '../state/held-lease.ts'
import { openStore } from '../store/open.ts'
import type { S3StoreOptions } from '../store/s3.ts'
import { VERSION } from '../version.ts'
import type { StatePlace } from './state-place.ts'
import type { ShownRequest } from './undo-words.ts'

const LONGEST_WAY_MS = 3_600_000

const requestSchema = z.object({
  submission_id: z.string(),
  /** The fingerprint of the project's key. */
  key: z.string(),
  project_id: z.string(),
  import_ids: z.array(z.string()),
  first: z.string(),
  last: z.string(),
  query: z.string(),
  /** The service's id; null until it has answered. */
  id: z.string().nullable(),
  /** The service's word; `sending` before it has answered, `gone` if it does not know the request (any more). */
  status: z.string(),
  filed_at: z.string(),
  /** Events that were left when it was done; null until then. */
  left: z.int().nullable(),
})
export type UndoRequest = z.infer<typeof requestSchema>

export const UNDO_RECORD = new CellKind({
  name: 'undo record',
  schema: z.object({ tool: z.string(), requests: z.array(requestSchema) }),
  version: 1,
  refusal: refused({ code: 'mismatch', says: 'says what is to be deleted' }),
})

/** A request as it is shown. */
export function shownRequest({ submission_id, id, status, filed_at, left }: UndoRequest): ShownRequest {
  return { submission_id, id, status, filed_at, left }
}

/** True once a request deletes nothing any more. */
export function isOver({ status, left }: UndoRequest): boolean {
  return left !== null || status === 'failed' || status === 'gone'
}

/** True once a request that the service does not know can't be on its way to it any more. */
export function isLost({ id, filed_at }: UndoRequest, now: number): boolean {
  return id !== null || now - Date.parse(filed_at) > LONGEST_WAY_MS
}

/** The files of the record: beside the ledger, and beside a dataset's state, if one is named. */
export async function undoCells(
  place: Pick<StatePlace, 'location' | 'undo' | 'ledger'> | undefined,
  ledger: string,
  key: string,
  options?: S3StoreOptions,
): Promise<Cell[]> {
  const ofProject = storeCell(await openStore(ledger, options), `${key}.undo.json`)
  return place ? [ofProject, storeCell(await openStore(place.location, options), place.undo)] : [ofProject]
}

/** The requests that the files know. One that is over in some of them only is not over. */
export async function readRequests(cells: readonly Cell[]): Promise<UndoRequest[]> {
  const all = await Promise.all(cells.map((cell) => UNDO_RECORD.load(cell)))
  const known = new Map<string, UndoRequest>()
  for (const one of all.flatMap((loaded) => loaded?.value.requests ?? [])) {
    const before = known.get(one.submission_id)
    if (!before || (isOver(before) && !isOver(one))) known.set(one.submission_id, one)
  }
  return [...known.values()]
}

/** The requests for the same ids and days: those at work come last, so that each of several gets its turn. */
export async function requestsFor(
  cells: readonly Cell[],
  sought: Pick<UndoRequest, 'key'> &
    Partial<Pick<UndoRequest, 'first' | 'last'>> & { readonly import_ids: readonly unknown[] },
): Promise<UndoRequest[]> {
  const { key, import_ids: ids, first, last } = sought
  const all = (await readRequests(cells)).filter(
    (one) =>
      one.key === key &&
      String(one.import_ids) === String(ids) &&
      (first === undefined || last === undefined || (one.first <= last && one.last >= first)),
  )
  return [...all.filter(isOver), ...all.filter((one) => !isOver(one))]
}

/** Keeps a new request, and returns it; or the one that is at work by now: another run may have begun it since we looked. */
export async function beginRequest(cells: readonly Cell[], made: UndoRequest): Promise<UndoRequest> {
  const [ofProject, ...others] = cells
  for (;;) {
    const loaded = await UNDO_RECORD.load(ofProject!)
    const known = (await requestsFor(cells, made)).at(-1)
    if (known && !isOver(known)) return known
    const requests = [...(loaded?.value.requests ?? []), made]
    const saved = UNDO_RECORD.save(ofProject!, { tool: `posthaul ${VERSION}`, requests }, loaded ?? 'absent')
    if (!(await won(saved))) continue
    await keepRequest(others, made.submission_id, made)
    return made
  }
}

/** Writes a request into all files, in place of itself; `undefined` takes it out. */
export async function keepRequest(
  cells: readonly Cell[],
  submissionId: string,
  request: UndoRequest | undefined,
): Promise<void> {
  const letsIn = !request || isOver(request)
  for (const cell of letsIn ? cells.toReversed() : cells) {
    const loaded = await UNDO_RECORD.load(cell)
    const others = loaded?.value.requests.filter(({ submission_id }) => submission_id !== submissionId) ?? []
    const requests = [...others, ...(request ? [request] : [])]
    await UNDO_RECORD.save(cell, { tool: `posthaul ${VERSION}`, requests }, loaded ?? 'absent')
  }
}
