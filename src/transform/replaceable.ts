import { PosthaulError } from '../errors.ts'
import {
  assertPlaceFor,
  datasetWords,
  type EventsManifest,
  findManifest,
  type Manifest,
  occupied,
  type Store,
} from '../store/index.ts'
import { assertSameHashKey } from './hash-key.ts'

type SourceWords = Readonly<Record<string, string>>

/**
 * Refuses to write over anything but an empty place, the events of the same source, made before, or what a transform that
 * was `begun` left there.
 */
export async function assertReplaceable(
  store: Store,
  out: string,
  source: SourceWords,
  begun: boolean,
  rules?: string,
): Promise<void> {
  await assertPlaceFor(store, source.kind === 'groups' ? 'groups' : 'events')
  const manifest = (await findManifest(store))?.manifest
  if (manifest?.kind === 'events') {
    assertSameSource(out, source, manifest)
    assertSameHashKey(out, manifest.source.hash_key, source.hash_key)
    if (rules !== undefined) assertSameRules(out, rules, manifest)
    return
  }
  if (begun || (await store.list()).length === 0) return
  throw new PosthaulError(`${out} is not empty, and what it holds is no events dataset`, {
    code: 'usage',
    hint: 'choose an empty folder for --out',
  })
}

/** Events that other rules make are other events: where the older ones were sent, these would be sent beside them. */
function assertSameRules(out: string, now: string, { rules, tool }: EventsManifest): void {
  if (rules === now) return
  const older = rules === null ? `those of ${tool}` : rules
  throw new PosthaulError(`${out} holds events that other rules made (${older}; now ${now})`, {
    code: 'input',
    hint: 'their names or ids may differ, and the service would keep both: go on with the posthaul that made them; if none of them was sent, add --rules-changed',
  })
}

/** Making a dataset again from its source is fine; writing Amplitude's over Mixpanel's by mistake is a loss. */
function assertSameSource(out: string, now: SourceWords, manifest: Manifest): void {
  const { preset, inputs } = manifest.source
  const trimmed = (text = '') => text.replaceAll(/\/+( |$)/g, '$1')
  if (now.preset !== preset || trimmed(now.inputs) !== trimmed(inputs)) {
    throw occupied(out, datasetWords(manifest))
  }
  assertSameShare(out, now, manifest)
}

/** The whole in place of one share would be sent beside the other shares, in another order; and the other way round. */
function assertSameShare(out: string, now: SourceWords, { source: { split_people: share } }: Manifest): void {
  if (now.split_people === share) return
  const what = share === undefined ? 'a dataset that is not divided' : `dataset ${share} of a division`
  throw occupied(out, `${what} by people`)
}
