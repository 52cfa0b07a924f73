import { stillThere, takenFrom } from '../../delivery/checkpoint.ts'
import { PosthaulError } from '../../errors.ts'
import { stateLease } from '../../imports/import-turn.ts'
import { ifThere, openState, otherPlaces, type StatePlace, statePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { leaseHolders } from '../../state/lease.ts'
import { findManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { plural } from '../../text/words.ts'
import type { LookAtRules, RulesMade } from '../../transform/rules-made.ts'

/** A dataset that is to be made anew, and the print of its rules: see `rules_sha256` of a manifest's source. */
interface Anew {
  readonly out: string
  readonly state?: string | undefined
  readonly rules: string | undefined
}

/**
 * Refuses to make a dataset anew while an import of it runs (code `locked`). Where one has sent events of it, `guard` judges the
 * rules that would make the new ones: nothing else knows what was sent.
 */
export async function assertNotImported(anew: Anew, guard: LookAtRules, io: Pick<Io, 'env'>): Promise<void> {
  const { out, state } = anew
  const options = { input: out, state }
  for (const place of [statePlace(options, io.env), ...otherPlaces(options, io.env)]) {
    const [holder] = (await ifThere(stateLease(place).then(leaseHolders))) ?? []
    if (holder)
      throw new PosthaulError(`an import of ${out} is under way (${holder.who}, since ${holder.since})`, {
        code: 'locked',
        hint: 'wait for its end, or stop it: it sends the events that would be made anew',
      })
    const rules = await rulesSent(place, anew)
    if (rules) guard({ rules })
  }
}

async function rulesSent(place: StatePlace, { out, rules }: Anew): Promise<RulesMade | undefined> {
  const state = await openState(place)
  const loaded = await ifThere(state.load())
  if (loaded?.state.input.kind !== 'dataset' || stillThere(loaded.state) === 0) return undefined
  const manifest = (await findManifest(await openStore(out)))?.manifest
  const count = takenFrom(loaded.state)
  const what = `${plural(count, 'event')} of ${out} that were sent, says ${state.checkpointPath}`
  return { what, before: printOf(manifest?.source.rules_sha256), now: printOf(rules), count }
}

/** Enough of a print to tell two apart. */
function printOf(sha256 = 'unknown'): string {
  return sha256.slice(0, 12)
}
