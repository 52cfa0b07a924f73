import { clockChange } from '../record/zone.ts'
import { MICROS_PER_HOUR } from '../text/units.ts'

/** A zone that never changed its clocks, twelve hours behind UTC: a time of day without an offset is read 12 hours later by it. */
const FIXED = { zone: 'Etc/GMT+12', behind: 12 * MICROS_PER_HOUR }

/**
 * What the clocks of a zone did with a record's time; undefined for nothing, and for a time that says its own offset. `readIn` reads
 * the time by the clocks of another zone, in microseconds.
 */
export function clockChangeOf(
  readIn: (zone: string) => number,
  zone: string,
): 'twice' | 'skipped' | undefined {
  const wall = readIn(FIXED.zone) - FIXED.behind
  return readIn('UTC') === wall ? clockChange(wall, zone) : undefined
}
