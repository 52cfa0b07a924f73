import { DatasetSource, type Place } from '../../delivery/index.ts'
import { PosthaulError } from '../../errors.ts'
import { readHead } from '../../record/index.ts'
import type { Store } from '../../store/index.ts'
import { openState, type StatePlace } from '../import-state/state-place.ts'

/** How far the import of a dataset is. */
export interface SentSoFar {
  /** Tells one standing of the import from another; null where no import is known. */
  readonly print: string | null
  /** Events from this instant on (microseconds) are not sent yet; null if all are, or nobody knows. */
  readonly until: number | null
}

/** Reads from the checkpoint how far an import is. One that can't be read tells nothing. */
export async function sentSoFar(place: StatePlace, store: Store): Promise<SentSoFar> {
  const state = await openState(place)
    .then((opened) => opened.load())
    .then((loaded) => loaded?.state)
    .catch((error: unknown) => {
      if (error instanceof PosthaulError) return undefined
      throw error
    })
  if (state?.input.kind !== 'dataset') return { print: null, until: null }
  const { manifest_sha256: manifest } = state.input
  const { delivered } = state.counts
  const print = JSON.stringify([manifest, delivered, state.done])
  return { print, until: state.done ? null : await firstUnsent(store, state.places) }
}

/** The time of the first event that no lane has sent. The events of a dataset are in the order of their times. */
async function firstUnsent(store: Store, places: readonly Place[]): Promise<number | null> {
  const source = await DatasetSource.open(store)
  const [first] = [...places].sort((a, b) => a.part - b.part || a.offset - b.offset)
  for await (const { chunks } of source.pieces(first!)) {
    let line = Buffer.alloc(0)
    for await (const chunk of chunks) {
      line = Buffer.concat([line, chunk])
      const end = line.indexOf(10)
      if (end >= 0) return readHead(line, 0, end)?.instant ?? null
    }
  }
  return null
}
