import { stillThere, takenFrom } from '../delivery/checkpoint.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { leaseHolders } from '../state/lease.ts'
import { findManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { plural } from '../text/words.ts'
import { stateLease } from './import-turn.ts'
import { ifThere, openState, otherPlaces, type StatePlace, statePlace } from './state-place.ts'

/** A dataset that is to be made anew. */
interface Anew {
  /** The dataset's place, with its endpoint. */
  readonly out: string
  readonly state?: string | undefined
  readonly endpoint?: string | undefined
  /** The print of the rules: see `rules_sha256` of a manifest's source. */
  readonly rules: string | undefined
  readonly rulesChanged: boolean
}

/**
 * Refuses to make a dataset anew while an import of it runs (code `locked`), and after one has sent events of it if other
 * rules would make the new ones (code `mismatch`, unless `rulesChanged`): nothing else knows what was sent.
 */
export async function assertNotImported(anew: Anew, io: Pick<Io, 'env'>): Promise<void> {
  const { out, state, endpoint } = anew
  const options = { input: out, state, endpoint }
  for (const place of [statePlace(options, io.env), ...otherPlaces(options, io.env)]) {
    await assertNotUnderWay(place, out)
    if (!anew.rulesChanged) await assertNotSent(place, anew)
  }
}

async function assertNotUnderWay(place: StatePlace, out: string): Promise<void> {
  const [holder] = (await ifThere(stateLease(place).then(leaseHolders))) ?? []
  if (!holder) return
  throw new PosthaulError(`an import of ${out} is under way (${holder.who}, since ${holder.since})`, {
    code: 'locked',
    hint: 'wait for its end, or stop it: it sends the events that would be made anew',
  })
}

async function assertNotSent(place: StatePlace, { out, rules }: Anew): Promise<void> {
  const loaded = await ifThere(openState(place).then((state) => state.load()))
  if (loaded?.state.input.kind !== 'dataset' || stillThere(loaded.state) === 0) return
  const manifest = (await findManifest(await openStore(out)))?.manifest
  if (rules !== undefined && manifest?.source.rules_sha256 === rules) return
  const path = (await openState(place)).checkpointPath
  throw new PosthaulError(
    `${plural(takenFrom(loaded.state), 'event')} of ${out} were sent, says ${path}, and other rules would make it anew`,
    {
      code: 'mismatch',
      lines: [
        'what was sent stays in the project; events that the new rules name or date otherwise would stand beside it',
      ],
      hint: 'make them in another folder with --out, or take the change of the mapping back; --rules-changed makes them here all the same',
    },
  )
}
