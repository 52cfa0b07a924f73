import { type CheckpointState, takenFrom } from '../../delivery/checkpoint.ts'
import { DatasetSource } from '../../delivery/dataset-source.ts'
import { deliveredSum, type Ledger, ledgerSum } from '../../delivery/ledger.ts'
import { lastPace, type PaceLine } from '../../delivery/pace-log.ts'
import { PosthaulError } from '../../errors.ts'
import { capLease, stateLease } from '../../imports/import-turn.ts'
import { ledgerOf } from '../../imports/project-keys.ts'
import { addressIn, openState, paceFile, type StatePlace } from '../../imports/state-place.ts'
import { undoCells } from '../../imports/undo-record.ts'
import { localName, undoStanding } from '../../imports/undo-standing.ts'
import type { Io } from '../../io.ts'
import { type HolderSeen, leaseHolders } from '../../state/lease.ts'
import { findManifest, lookAtParts, type PartsSeen } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import type { StatusResult } from './result.ts'
import { type Seen, statusOf } from './status-of.ts'

type World = Pick<Io, 'telemetry'>

/** Looks at one import, again and again if need be: undefined if it has not begun. */
export async function lookerAt(place: StatePlace, world: World) {
  const path = addressIn(place, place.checkpoint)
  // Each client of a bucket has connections of its own, so it is opened once.
  const [files, lease, store] = [
    await openState(place),
    await stateLease(place),
    await openStore(place.ledger),
  ]
  const paceLog = await paceFile(place)
  const measured = speedometer()
  let undo: Awaited<ReturnType<typeof undoCells>> | undefined
  return async (): Promise<StatusResult | undefined> => {
    const loaded = await files.load()
    if (!loaded) return undefined
    const { state, fellBack } = loaded
    if (fellBack) tellDamaged(path, world)
    const [runs] = await leaseHolders(lease)
    const pace = await lastPace(paceLog)
    const speed = measured(state.counts.delivered)
    undo ??= await undoCells(place, place.ledger, state.target.key)
    return statusOf(path, state, {
      now: Date.now(),
      runs,
      drawing: await leaseHolders(capLease(store, state.target)),
      migration: await migrationOf(ledgerOf(store, state.target), state),
      pace,
      perMinute: runs && (speed ?? toldSpeed(pace, runs)),
      parts: await partsOf(state),
      undo: await undoStanding(undo, state, localName(state)),
    })
  }
}

/** Says that a checkpoint is not the last one that was saved. */
export function tellDamaged(path: string, { telemetry }: World): void {
  telemetry.note('status', `${path} is damaged; this is the one saved before it`, 'warn')
}

/** A speed is measured over at least so long, and over at most a minute. */
const LEAST_SPAN_MS = 10 * MS_PER_SECOND

/** Tells, of what is delivered now, how many events a minute that is since the oldest look of the last minute. */
export function speedometer(now = () => performance.now()) {
  let seen: { readonly at: number; readonly delivered: number }[] = []
  return (delivered: number): number | undefined => {
    const at = now()
    // One look that is older than a minute is kept, for those who look less often.
    while (seen[1] && at - seen[1].at >= MS_PER_MINUTE) seen.shift()
    // A --restart begins to count anew.
    if (seen[0] && delivered < seen[0].delivered) seen = []
    seen.push({ at, delivered })
    const span = at - seen[0]!.at
    return span < LEAST_SPAN_MS ? undefined : ((delivered - seen[0]!.delivered) * MS_PER_MINUTE) / span
  }
}

/** The speed that the pace log tells, if the run that is alive wrote it. */
function toldSpeed(pace: PaceLine | undefined, { since }: HolderSeen): number | undefined {
  return pace && Date.parse(pace.at) >= Date.parse(since) ? pace.per_minute : undefined
}

/** What all imports into the project count against the volume cap; undefined if there is no ledger. */
async function migrationOf(of: Ledger, state: CheckpointState): Promise<Seen['migration']> {
  const ledger = await of.read()
  if (!ledger) return undefined
  // Without what killed runs had claimed, which the next run sends.
  const delivered = deliveredSum(ledger, { importId: state.id, taken: takenFrom(state) })
  return { events: ledgerSum(ledger), delivered, since: ledger.started_at, imports: ledger.imports.length }
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
