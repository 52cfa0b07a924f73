import {
  assertPeopleApart,
  type CheckpointState,
  type SharedPeople,
  type Sharing,
  sharedPeople,
} from '../../delivery/index.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { IdSketch, spelledText } from '../../record/index.ts'
import { openStore, readEventsManifest, readParts } from '../../store/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import type { ImportOrder } from './import-order.ts'
import type { HeldTurn } from './import-turn.ts'

interface Joining {
  readonly order: Pick<ImportOrder, 'source' | 'place' | 'pace' | 'guards'>
  readonly saved: CheckpointState | undefined
  readonly turn: HeldTurn
  readonly note: (text: string) => void
}

/** An import's turn beside others, and the imports of the same people. */
interface Joined {
  readonly turn: HeldTurn
  readonly shared: readonly SharedPeople[]
}

/**
 * Looks, before the first event of an import that shares the rate cap, whether others that share it have people in common
 * with its dataset. Code `found` if so, unless any order will do. The ledger, where the turn enters the import, asks again.
 */
export async function joinOthers({ order, saved, turn, note }: Joining, io: Io): Promise<Joined> {
  const { pace, guards, place, source } = order
  const { input } = source
  const isAtEnd = saved?.done === true && !place.restart
  if (pace.share === 1 || isAtEnd) return { turn, shared: [] }
  if (input.kind === 'file') {
    note(
      'whether imports that share the cap have people in common is asked of datasets alone: files can have',
    )
    return { turn, shared: [] }
  }
  const sharing: Sharing = { dataset: input.path, id_sketch: await sketchOf(input.path, io) }
  const ledger = await turn.ledger.read()
  const shared = ledger ? sharedPeople(ledger, sharing, turn.checkpoint) : []
  if (!guards.anyOrder) assertPeopleApart(input.path, shared)
  return { turn: { ...turn, sharing, anyOrder: guards.anyOrder }, shared }
}

/** The sketch of a dataset's ids. One of an earlier version has none in its manifest: all of it is read. */
async function sketchOf(dataset: string, { interrupted, telemetry }: Io): Promise<string> {
  const store = await openStore(dataset)
  const { id_sketch, parts } = await readEventsManifest(store)
  if (id_sketch !== undefined) return id_sketch
  const progress = progressFor(telemetry)
  progress.start(
    'read ids',
    parts.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  const sketch = new IdSketch()
  const between = async () => {
    if (interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  }
  try {
    for (const part of parts) {
      const each: Parameters<typeof readParts>[2]['each'] = (line, { distinctIdStart, distinctIdEnd }) =>
        sketch.add(spelledText(line, distinctIdStart + 1, distinctIdEnd - 1))
      await readParts(store, [part], { each, between })
      progress.add(part.bytes)
    }
  } finally {
    progress.stop()
  }
  return sketch.text
}
