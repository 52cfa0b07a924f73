import { MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_SECOND } from '../text/units.ts'

const QUARTER_HOUR = MICROS_PER_HOUR / 4
/** What was asked of a zone: a function of its name, kept since an answer takes long. */
interface KnownZone {
  readonly format: Intl.DateTimeFormat
  /** Offset by quarter of an hour; null where it changes within one. */
  readonly offsets: Map<number, number | null>
  /** Whether the clocks were changed near a day. */
  readonly changes: Map<number, boolean>
}
const zones = new Map<string, KnownZone>()

function zoneOf(name: string): KnownZone {
  const known = zones.get(name)
  if (known) return known
  const zone = { format: zoneFormat(name), offsets: new Map(), changes: new Map() }
  zones.set(name, zone)
  return zone
}

/**
 * The offset east of UTC, in microseconds, that a wall clock in `zone` (IANA name) had when it showed `wall`
 * (microseconds, as if UTC). A time that the clock showed twice means the first one; a time that it skipped is read by
 * the offset before the jump. Throws RangeError for an unknown zone.
 */
export function zoneOffsetMicros(wall: number, zone: string): number {
  const known = zoneOf(zone)
  // Most quarter hours have one offset, so one look-up serves every instant of them. St. John's changed at 00:01.
  const quarter = Math.floor(wall / QUARTER_HOUR)
  let offset = known.offsets.get(quarter)
  if (offset === undefined) {
    const start = quarter * QUARTER_HOUR
    offset = offsetShown(known.format, start)
    if (offset !== offsetShown(known.format, start + QUARTER_HOUR - MICROS_PER_SECOND)) offset = null
    if (known.offsets.size > 100_000) known.offsets.clear()
    known.offsets.set(quarter, offset)
  }
  return offset ?? offsetShown(known.format, Math.floor(wall / MICROS_PER_SECOND) * MICROS_PER_SECOND)
}

function offsetShown(format: Intl.DateTimeFormat, wall: number): number {
  const before = offsetAt(format, wall - MICROS_PER_DAY)
  if (offsetAt(format, wall - before) === before) return before
  const after = offsetAt(format, wall + MICROS_PER_DAY)
  return offsetAt(format, wall - after) === after ? after : before
}

/** Names of three letters that mean one clock. Engines take BST for Bangladesh, AST for Alaska, EST for a clock without summer time. */
const SHORT_NAMES = /^(?:UTC|GMT|UCT|CET|EET|WET|MET|HST|PRC|ROC|ROK)$/i

/** True for the name of a zone. False for an offset, which some engines accept: it knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || (name.length === 3 && !SHORT_NAMES.test(name))) return false
  try {
    zoneFormat(name)
    return true
  } catch {
    return false
  }
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of format.formatToParts(new Date(instant / 1000))) part[type] = Number(value)
  const wall = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second)
  return wall * 1000 - instant
}

/** What a wall clock in `zone` did with a time: it showed it `twice`, of which the first is taken, or `skipped` it. */
export function clockChange(wall: number, zone: string): 'twice' | 'skipped' | undefined {
  const { format } = zoneOf(zone)
  const [before, after] = [-1, 1].map((by) => offsetAt(format, wall + by * MICROS_PER_DAY)) as [
    number,
    number,
  ]
  if (before === after) return undefined
  const shown = [before, after].filter((offset) => offsetAt(format, wall - offset) === offset).length
  return shown === 2 ? 'twice' : shown === 0 ? 'skipped' : undefined
}

/** True if the clocks of a zone were changed within a day or so of an instant. Remembers the days of each zone. */
export function isNearChange(instant: number, zone: string): boolean {
  const { format, changes } = zoneOf(zone)
  const day = Math.floor(instant / MICROS_PER_DAY)
  let near = changes.get(day)
  if (near === undefined) {
    near = offsetAt(format, (day - 2) * MICROS_PER_DAY) !== offsetAt(format, (day + 3) * MICROS_PER_DAY)
    if (changes.size > 100_000) changes.clear()
    changes.set(day, near)
  }
  return near
}
