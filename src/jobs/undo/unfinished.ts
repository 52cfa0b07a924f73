import { type Finding, findingsOf } from '../../checks/index.ts'
import { PosthaulError } from '../../errors.ts'
import { checkpointsIn, openState, placeIn, type StatePlace } from '../import/state-place.ts'
import { standingAt } from './undo-standing.ts'
import { isAtWork } from './undo-words.ts'

const say = findingsOf('undo')

/** Imports that are being taken back: until that is done, none of them goes on. What can't be read, other checks tell. */
export async function unfinishedUndos(places: readonly StatePlace[]): Promise<Finding[]> {
  const found = await Promise.all(places.map((place) => unfinished(place).catch(ifUnreadable)))
  return found.flatMap((one) => one ?? [])
}

/** The same of all imports whose state is in one store, as `run` keeps it. */
export async function unfinishedIn(location: string): Promise<Finding[]> {
  const names = await checkpointsIn(location).catch(ifUnreadable)
  return unfinishedUndos((names ?? []).map((name) => placeIn(location, name, location)))
}

async function unfinished(place: StatePlace): Promise<Finding | undefined> {
  const state = (await (await openState(place)).load())?.state
  if (!state) return undefined
  const undo = await standingAt(place, state)
  if (!isAtWork(undo)) return undefined
  return say.error(`the import of ${state.input.name} is being taken back (${undo.request.status})`, {
    cause: 'what is sent now would be deleted with the rest',
    remedy: `${undo.follow} says how far that is`,
  })
}

function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof PosthaulError)) throw error
}
