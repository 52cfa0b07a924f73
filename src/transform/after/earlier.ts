import { resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { dayText } from '../../record/time.ts'
import { assertParts, readEventsManifest } from '../../store/dataset.ts'
import type { EventPart, EventsManifest } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { sum } from '../../text/lists.ts'
import { assertSameHashKey } from '../hash-key.ts'
import type { LinksFile } from '../links.ts'
import type { LookAtRules } from '../rules-made.ts'

/** The dataset of an earlier window, as it was when the transform began. Plain data. */
export interface EarlierDataset {
  readonly location: string
  readonly parts: readonly EventPart[]
  readonly links: LinksFile
}

export interface EarlierPart {
  readonly location: string
  readonly part: EventPart
}

/** The parts that earlier datasets have of a day, counted from 1970-01-01. */
export function partsOf(earlier: readonly EarlierDataset[], day: number): EarlierPart[] {
  const text = dayText(day)
  return earlier.flatMap(({ location, parts }) =>
    parts.filter((part) => part.day === text).map((part) => ({ location, part })),
  )
}

/** What the events of an earlier dataset must have in common with those that are made now. */
interface MadeAlike {
  readonly rules: string
  readonly guard: LookAtRules | undefined
  readonly hashKey: string | undefined
  /** The hash of the mapping file. */
  readonly mapping: string | undefined
  readonly out: string
}

/**
 * Looks at the datasets of earlier windows. Code `input` for one that is not finished, or lacks a file. One that other rules
 * made, whose events have other ids, is for `guard` to judge.
 */
export async function lookAtEarlier(
  locations: readonly string[],
  alike: MadeAlike,
): Promise<EarlierDataset[]> {
  const earlier: EarlierDataset[] = []
  const othersMap: string[] = []
  for (const location of new Set(locations)) {
    if (isSamePlace(location, alike.out)) {
      throw new PosthaulError(`--after ${location} is where the events go`, {
        code: 'usage',
        hint: 'name the datasets of earlier windows with --after, and a new folder with --out',
      })
    }
    const store = await openStore(location)
    const manifest = await readEventsManifest(store)
    if (manifest.trial) {
      throw new PosthaulError(
        `--after ${location} is a trial: it has some of the people of its window only`,
        { code: 'usage', hint: 'name the datasets of whole windows' },
      )
    }
    await assertParts(store, manifest)
    assertAlike(location, manifest, alike)
    if (manifest.source.mapping_sha256 !== alike.mapping) othersMap.push(location)
    earlier.push({ location, parts: manifest.parts, links: manifest.links })
  }
  if (othersMap.length > 0) alike.guard?.({ othersMap })
  return earlier
}

function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map((place) => (isS3(place) ? place.replace(/\/+$/, '') : resolve(place)))
  return other !== '' && a === b
}

function assertAlike(location: string, manifest: EventsManifest, alike: MadeAlike): void {
  assertSameHashKey(location, manifest.source.hash_key, alike.hashKey)
  const { rules: before, days } = manifest
  alike.guard?.({
    rules: { what: `the events in ${location}`, before, now: alike.rules, count: sum(Object.values(days)) },
  })
}
