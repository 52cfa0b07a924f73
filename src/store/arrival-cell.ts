import { Fingerprint } from '../record/fingerprint.ts'
import type { ArrivalCell } from './arrival.ts'

/** A day with more names than this is proven whole. */
export const MOST_CELLS_A_DAY = 10_000

export function cellOf(day: string, event: string, { count, text }: Fingerprint): ArrivalCell {
  return { day, event, count, ...text }
}

export function fingerprintOf({ count, xor, sum }: ArrivalCell): Fingerprint {
  return Fingerprint.of(count, { xor, sum })
}
