import { PosthaulError } from '../../errors.ts'
import { besideLocation, findManifest, occupied, openStore } from '../../store/index.ts'
import type { SplitOrder } from '../job.ts'
import { assertReplaceable, type MadeOf } from '../output-apart.ts'

const FOLDER = /^people-(\d\d)\//

/** The places of all datasets, in their order. */
export function splitPlaces({ datasets, out }: Pick<SplitOrder, 'datasets' | 'out'>): string[] {
  return Array.from({ length: datasets }, (_, index) =>
    besideLocation(out, `/people-${String(index + 1).padStart(2, '0')}`),
  )
}

/** What the manifest of one dataset says of the division. */
export function splitWords(index: number, datasets: number): Readonly<Record<string, string>> {
  return { split_people: `${index + 1} of ${datasets}` }
}

/**
 * Refuses to write over anything but an empty place, the same number of datasets of the same source, or what a transform that
 * was begun left there. A dataset that is left from a larger number would be sent beside events that others have now.
 */
export async function assertSplitReplaceable(
  order: SplitOrder,
  { source, begun, rules }: MadeOf,
): Promise<void> {
  const { datasets, out } = order
  const root = await openStore(out)
  if (await findManifest(root)) throw occupied(out, 'a dataset that is not divided by people')
  const there = await root.list()
  const numbers = there.flatMap(({ name }) => FOLDER.exec(name)?.[1] ?? [])
  if (there.length > 0 && numbers.length === 0 && !begun) {
    throw new PosthaulError(`${out} is not empty, and what it holds is no datasets of a division by people`, {
      code: 'usage',
      hint: 'choose an empty folder for --out',
    })
  }
  const stale = numbers.find((number) => Number(number) > datasets)
  if (stale !== undefined) throw otherNumber(out, stale)
  for (const [index, place] of splitPlaces(order).entries()) {
    const store = await openStore(place)
    const before = (await findManifest(store))?.manifest.source.split_people
    const now = splitWords(index, datasets)
    if (before !== undefined && before !== now.split_people) throw otherNumber(out, before)
    await assertReplaceable(store, place, { source: { ...source, ...now }, begun, rules })
  }
}

function otherNumber(out: string, what: string): PosthaulError {
  return new PosthaulError(`${out} holds a division into another number of datasets (${what})`, {
    code: 'usage',
    hint: 'choose another folder for --out, or give --split-people the number from before',
  })
}
