import { createHash } from 'node:crypto'
import { z } from 'zod'
import { storeCell } from '../../state/cell.ts'
import { CellKind } from '../../state/cell-kind.ts'
import { countShape } from '../../store/manifest.ts'
import { VENDOR_COUNTS as FILE } from '../../store/name.ts'
import type { Store } from '../../store/store.ts'
import { VERSION } from '../../version.ts'

/** Names that are told apart: those that the vendor counts most of. */
export const MOST_TOLD = 1000

const pair = {
  /** Exported, counted as the vendor counts. */
  here: countShape,
  there: countShape,
}

const schema = z.object({
  tool: z.string(),
  /** Of the parts that were counted: see `partsPrint`. */
  parts: z.string(),
  vendor: z.string(),
  /** Why nobody has counted; null where somebody has. */
  reason: z.string().nullable(),
  zone: z.string(),
  /** The days that were compared, oldest first. */
  days: z.array(z.object({ day: z.string(), ...pair })),
  /** The same days by name, those that the vendor counts most of first. `event` null: all that it does not tell apart. */
  names: z.array(z.object({ event: z.string().nullable(), ...pair })),
  other_names: countShape,
})

/**
 * `vendor-counts.json`, beside the manifest of an export: what the vendor counts by day and by name, for `report`.
 *
 * What it proves. It names the parts that were counted, so the counts of an export that was fetched again are not taken for
 * the new one's. It is written after the manifest, and nothing waits for it: a report without it says that it has no counts.
 */
export const VENDOR_COUNTS = new CellKind({ name: 'counts of a vendor', schema, version: 1 })

export type VendorCounts = z.infer<typeof schema>

/** By which the parts of a raw dataset are known again. */
export function partsPrint(parts: readonly { readonly file: string; readonly sha256: string }[]): string {
  const hash = createHash('sha256')
  for (const { file, sha256 } of parts) hash.update(`${file} ${sha256}\n`)
  return hash.digest('hex')
}

export async function saveVendorCounts(store: Store, counts: Omit<VendorCounts, 'tool'>): Promise<void> {
  await VENDOR_COUNTS.save(storeCell(store, FILE), { tool: `posthaul ${VERSION}`, ...counts })
}

/** The counts of just these parts, or undefined. */
export async function loadVendorCounts(
  store: Store,
  parts: Parameters<typeof partsPrint>[0],
): Promise<VendorCounts | undefined> {
  const found = (await VENDOR_COUNTS.load(storeCell(store, FILE)))?.value
  return found?.parts === partsPrint(parts) ? found : undefined
}
