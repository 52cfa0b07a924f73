import { loadCounts, OTHER_EVENTS, type PartCounts, SLOT_MS } from '../../sources/index.ts'
import type { RawManifest, Store } from '../../store/index.ts'
import { rankedBounds } from './bounds.ts'
import { DayNames, MOST_SERIES } from './day-names.ts'
import type { DaysPart } from './report-data.ts'

/** Names that are told apart while the most frequent are looked for. */
const MOST_NAMES = 10_000

/** A raw dataset. */
export interface RawDataset {
  readonly store: Store
  readonly manifest: RawManifest
}

/** Records by day: of each window, and by name where the export counted them. */
export async function sourceDays(datasets: readonly RawDataset[]): Promise<DaysPart> {
  const names = await namesIn(datasets)
  const days = new DayNames(names.slice(0, MOST_SERIES))
  let [counted, uncounted] = [0, 0]
  for (const { store, manifest } of datasets) {
    for (const part of manifest.parts) {
      const day = part.window.slice(0, 10)
      const counts = await countsOf(store, part)
      const left = part.events - addCounted(days, counts, part.events)
      if (counts) counted++
      else uncounted++
      if (left > 0) days.add(day, null, left)
    }
  }
  const how = counted === 0 ? 'as the windows of the export hold them' : 'as the export counted them'
  const some = counted > 0 && uncounted > 0 ? `; ${uncounted} windows were not counted by name` : ''
  const others = counted === 0 || uncounted > 0 ? undefined : Math.max(0, names.length - MOST_SERIES)
  return days.part(
    { place: 'source', unit: 'records', meaning: `Records of the source, ${how}${some}.` },
    others,
  )
}

/** Adds at most `most` records to their days, and returns how many: counts of more are not the part's own. */
function addCounted(days: DayNames, counts: PartCounts | undefined, most: number): number {
  let added = 0
  for (const [name, slots] of counts?.counts ?? []) {
    for (const [slot, count] of slots) {
      const taken = Math.min(most - added, count)
      added += taken
      days.add(dayOf(slot), name === OTHER_EVENTS ? null : name, taken)
    }
  }
  return added
}

/** The names, most frequent first. */
async function namesIn(datasets: readonly RawDataset[]): Promise<string[]> {
  const sums = new Map<string, number>()
  for (const { store, manifest } of datasets) {
    for (const part of manifest.parts) {
      for (const [name, slots] of (await countsOf(store, part))?.counts ?? []) {
        if (name === OTHER_EVENTS || (!sums.has(name) && sums.size >= MOST_NAMES)) continue
        const count = [...slots.values()].reduce((sum, n) => sum + n, 0)
        sums.set(name, (sums.get(name) ?? 0) + count)
      }
    }
  }
  return rankedBounds([...sums]).map(([name]) => name)
}

async function countsOf(
  store: Store,
  { window, sha256 }: RawManifest['parts'][number],
): Promise<PartCounts | undefined> {
  return loadCounts(store, window, sha256).catch(() => undefined)
}

function dayOf(slot: number): string {
  return new Date(slot * SLOT_MS).toISOString().slice(0, 10)
}
