import { z } from 'zod'
import { type Cell, storeCell } from '../../state/cell.ts'
import { CellKind, GZIPPED } from '../../state/cell-kind.ts'
import { COUNTS_SUFFIX } from '../../store/name.ts'
import type { Store } from '../../store/store.ts'
import { MICROS_PER_HOUR, MS_PER_HOUR } from '../../text/units.ts'

/**
 * `counts/<window>.counts.json.gz`: how many records of a part a vendor's report should count, by event and quarter of an
 * hour. Reports count days in the project's time zone, which is found out later, and zones differ by quarters.
 *
 * What it proves. It names the sha256 of the part that was counted, so the counts of a part that was fetched again are
 * not taken for the new one's.
 *
 * It is written after its part, and nothing waits for it: where it is missing, or belongs to another part, or can't be
 * read, the part is read again.
 */
export const PART_COUNTS = new CellKind({
  name: 'counts of a part',
  schema: z.object({
    sha256: z.string(),
    /** By event: [quarter of an hour since the epoch, how many], as one flat list. */
    events: z.array(z.tuple([z.string(), z.array(z.int())])),
    copies: z.int().nullable(),
    unread: z.int(),
  }),
  version: 1,
  form: GZIPPED,
})

/** Stands for the names beyond the most that are counted apart. No event has this name: it is no Unicode text. */
export const OTHER_EVENTS = '\ud800'

export const SLOT_MS = MS_PER_HOUR / 4
const SLOT_MICROS = MICROS_PER_HOUR / 4

export interface PartCounts {
  /** By event, then by quarter of an hour since the epoch. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** Records that are copies of others and do not count; null if the part is too large to tell. */
  readonly copies: number | null
  /** Records without an event name or a time: no report counts them. */
  readonly unread: number
}

/** The quarter of an hour that an instant (microseconds since the epoch) lies in. */
export function slotOf(instant: number): number {
  return Math.floor(instant / SLOT_MICROS)
}

function cellOf(store: Store, window: string): Cell {
  return storeCell(store, `counts/${window}${COUNTS_SUFFIX}`)
}

/** Keeps a part's counts beside it. */
export async function saveCounts(
  store: Store,
  window: string,
  sha256: string,
  { counts, copies, unread }: PartCounts,
): Promise<void> {
  const events = [...counts].map(([name, slots]): [string, number[]] => [name, [...slots].flat()])
  await PART_COUNTS.save(cellOf(store, window), { sha256, events, copies, unread })
}

/** The counts of just this part, or undefined. */
export async function loadCounts(
  store: Store,
  window: string,
  sha256: string,
): Promise<PartCounts | undefined> {
  const found = (await PART_COUNTS.load(cellOf(store, window)))?.value
  if (found?.sha256 !== sha256) return undefined
  const counts = found.events.map(([name, flat]): [string, Map<number, number>] => [name, pairsOf(flat)])
  return { counts: new Map(counts), copies: found.copies, unread: found.unread }
}

function pairsOf(flat: readonly number[]): Map<number, number> {
  const pairs = new Map<number, number>()
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.set(flat[i]!, flat[i + 1]!)
  return pairs
}
