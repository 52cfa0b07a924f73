import { join } from 'node:path'
import { sum } from '../../text/index.ts'
import { addAllIds } from '../forget/find-forgotten.ts'
import { type ForgottenIds, IdSet, idCells } from '../forget/id-set.ts'
import { linksName } from '../forget/witness.ts'
import { type FleetPiece, resultsOf } from './done-file.ts'
import { joinedJob } from './gathered.ts'
import { readUnits, type TaskOrder, unitsOf } from './piece-order.ts'
import { bytesIn, fetchPieces, loadPiece } from './pieces.ts'

/** All links on this machine. */
const LINKS = 'all.links'

/** The result of a links task. */
export interface LinksDone {
  /** Hashes: see forget/witness.ts. */
  readonly links: FleetPiece
  /** Records that were read. */
  readonly read: number
}

/** The result of a people task: the first one has all work. */
export interface PeopleDone {
  /** Cells of an IdSet; null for another task. */
  readonly ids: FleetPiece | null
}

/** Reads a task's records for what they say of ids. */
export async function runLinks(order: TaskOrder): Promise<LinksDone> {
  const { known, folder, files } = order
  const { salt } = known.plan.forget!
  const job = await joinedJob(order)
  const read = await readUnits<number>(order, job, (unit) => ({ type: 'links', folder, salt, ...unit }))
  const own = unitsOf(order).map((unit) => ({ path: join(folder, linksName(unit)) }))
  return {
    links: await files.piece('links', bytesIn(own)),
    read: sum(read),
  }
}

/** Finds all ids of the people whom the plan's list names. */
export async function runPeople(order: TaskOrder): Promise<PeopleDone> {
  const { known, index, store, folder, files } = order
  const results = await resultsOf<LinksDone>(store, known, 'links')
  if (index > 0) return { ids: null }
  const pieces = results.map(({ links }) => links).filter(({ bytes }) => bytes > 0)
  await fetchPieces(order, pieces, LINKS)
  const listed = new IdSet(idCells(await loadPiece(store, known.plan.forget!.listed)))
  const { cells } = addAllIds(listed, folder, [LINKS])
  return { ids: await files.piece('ids', [Buffer.from(cells.buffer)]) }
}

/** All ids of the people whom the plan leaves out; undefined where it has none. */
export async function forgottenIn({ known, store }: TaskOrder): Promise<ForgottenIds | undefined> {
  const { forget } = known.plan
  if (forget === null) return undefined
  const [first] = await resultsOf<PeopleDone>(store, known, 'people')
  return { salt: forget.salt, cells: idCells(await loadPiece(store, first!.ids!)) }
}
