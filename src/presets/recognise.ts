import { valueAt } from '../mapping/index.ts'
import { PRESETS } from './index.ts'

/** The preset that records fit. */
export interface Recognised {
  readonly preset: string
  /** The vendor in words. */
  readonly title: string
  /** The members by which the preset knows its records. */
  readonly members: readonly string[]
  /** How many of the records have all of them. */
  readonly records: number
}

/** Least share of the records that must fit. */
const MIN_SHARE = 0.5

/**
 * Tells which preset parsed records would fit if it took EVENT for `event`, as Snowflake and Oracle spell what nobody quotes.
 * The members are as the preset has them.
 */
export async function recogniseFolded(records: readonly unknown[]): Promise<Recognised | undefined> {
  const found = await recognise(records.map(folded), (path) => path.toLowerCase())
  // Rows in a form of one's own may be spelt as one likes.
  return found?.preset === 'events' ? undefined : found
}

function folded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), folded(one)]))
}

/** Tells which preset parsed records fit, if one does. */
export async function recognise(
  records: readonly unknown[],
  spelt = (path: string) => path,
): Promise<Recognised | undefined> {
  let best: Recognised | undefined
  for (const { name: preset, title, load } of PRESETS) {
    for (const members of (await load()).recognises) {
      const count = records.filter((record) => hasAll(record, members.map(spelt))).length
      if (count < Math.max(1, records.length * MIN_SHARE)) continue
      const fits = { preset, title, members, records: count }
      if (best === undefined || isBetter(fits, best)) best = fits
    }
  }
  return best
}

function isBetter(one: Recognised, other: Recognised): boolean {
  const longer = one.members.length - other.members.length
  return longer > 0 || (longer === 0 && one.records > other.records)
}

function hasAll(record: unknown, members: readonly string[]): boolean {
  return members.every((path) => valueAt(record, path.split('.')) !== undefined)
}
