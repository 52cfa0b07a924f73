import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { DatasetSource } from '../../delivery/dataset-source.ts'
import { lastPace, type PaceLine } from '../../delivery/pace-log.ts'
import { PosthaulError } from '../../errors.ts'
import { stateLease, surroundings } from '../../imports/import-turn.ts'
import { addressIn, openState, paceFile, type StatePlace } from '../../imports/state-place.ts'
import { undoCells } from '../../imports/undo-record.ts'
import { localName, undoStanding } from '../../imports/undo-standing.ts'
import type { HolderSeen } from '../../state/lease.ts'
import { findManifest, lookAtParts, type PartsSeen } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import type { StatusResult } from './result.ts'
import { type StatusSaid, statusJson, statusSaid } from './status-json.ts'

/** A speed is measured over at least so long, and over at most a minute. */
const LEAST_SPAN_MS = 10 * MS_PER_SECOND

/** What one look at an import has seen. */
export interface Look {
  readonly result: StatusResult
  readonly said: StatusSaid
  /** The checkpoint is damaged, and this is the one before it. */
  readonly fellBack: boolean
}

/** Looks at one import, again and again if need be: what it saw before tells how fast it is. */
export class StatusLook {
  readonly path: string
  readonly #place: StatePlace
  readonly #now: () => number
  #opened: ReturnType<typeof opened> | undefined
  #undo: ReturnType<typeof undoCells> | undefined
  #seen: { readonly at: number; readonly delivered: number }[] = []

  constructor(place: StatePlace, now = () => performance.now()) {
    this.path = addressIn(place, place.checkpoint)
    this.#place = place
    this.#now = now
  }

  /** Undefined if the import has not begun. */
  async look(): Promise<Look | undefined> {
    this.#opened ??= opened(this.#place)
    const open = await this.#opened
    const loaded = await open.state.load()
    if (!loaded) return undefined
    const { state, fellBack } = loaded
    const known = await surroundings(open.lease, open.ledger, state)
    const pace = await lastPace(open.pace)
    this.#undo ??= undoCells(this.#place, this.#place.ledger, state.target.key)
    const undo = await undoStanding(await this.#undo, state, localName(state))
    const measured = this.#measure(state.counts.delivered)
    const perMinute = known.runs && (measured ?? toldSpeed(pace, known.runs))
    const around = { ...known, now: Date.now(), pace, perMinute, parts: await partsOf(state), undo }
    return { result: statusJson(this.path, state, around), said: statusSaid(state, around), fellBack }
  }

  /** Events a minute since the oldest look of the last minute. */
  #measure(delivered: number): number | undefined {
    const at = this.#now()
    // One look that is older than a minute is kept, for those who look less often.
    while (this.#seen[1] && at - this.#seen[1].at >= MS_PER_MINUTE) this.#seen.shift()
    const first = this.#seen[0]
    // A --restart begins to count anew.
    if (first && delivered < first.delivered) this.#seen = []
    this.#seen.push({ at, delivered })
    if (!first || at - first.at < LEAST_SPAN_MS || delivered < first.delivered) return undefined
    return ((delivered - first.delivered) * MS_PER_MINUTE) / (at - first.at)
  }
}

/**
 * The files of the dataset that is imported. Undefined where it is in a bucket, whose endpoint the checkpoint doesn't have,
 * and where it isn't there any more or is another: status tells of the import.
 */
async function partsOf({ input }: CheckpointState): Promise<PartsSeen | undefined> {
  if (input.kind !== 'dataset' || isS3(input.name)) return undefined
  try {
    const store = await openStore(input.name)
    const manifest = (await findManifest(store))?.manifest
    if (manifest?.kind !== 'events') return undefined
    const source = await DatasetSource.open(store)
    return source.manifestSha256 === input.manifest_sha256 ? await lookAtParts(store, manifest) : undefined
  } catch (error) {
    if (error instanceof PosthaulError) return undefined
    throw error
  }
}

/** What is looked at. Each client of a bucket has connections of its own, so it is opened once. */
async function opened(place: StatePlace) {
  return {
    state: await openState(place),
    lease: await stateLease(place),
    ledger: await openStore(place.ledger),
    pace: await paceFile(place),
  }
}

/** The speed that the pace log tells, if the run that is alive wrote it. */
function toldSpeed(pace: PaceLine | undefined, { since }: HolderSeen): number | undefined {
  return pace && Date.parse(pace.at) >= Date.parse(since) ? pace.per_minute : undefined
}
