import { childPlace } from '../../mapping/explode.ts'
import { type PresetOptions, type RecordView, Rejection } from '../../mapping/preset.ts'
import { zoneOffsetMicros } from '../../record/zone.ts'
import { MICROS_PER_SECOND } from '../../text/units.ts'
import { requiredTime, requiredTimeText } from '../required.ts'

// An action's `timestamp` is the clock on the site's wall, written as if it were UTC. The visit's firstActionTimestamp and
// lastActionTimestamp are UTC. So the difference between the first action and the first of these is the site's offset.

/** Offsets of zones are whole quarters of an hour, up to 14 hours. */
const QUARTER = 900
const MOST_SHIFT = 14 * 3600
/** A visit and its first action are written one after the other. */
const SLACK = 120
/** By how much summer time changes an offset. On one island it is half an hour: there the zone must be named. */
const SUMMER_TIME = [3600, -3600]

/** Microseconds, by the visit's own clock; by the zone that the user or the export names where that does not tell. */
export function timestamp(record: RecordView, options: PresetOptions): number {
  // Rows of the database have UTC.
  if (record.text('timestamp') === undefined && record.text('serverTime') !== undefined)
    return requiredTime(record, 'serverTime')
  const text = requiredTimeText(record, 'timestamp')
  if (!/^\d{1,11}$/.test(text)) throw new RangeError(`not a time in seconds: ${text.slice(0, 60)}`)
  const wall = Number(text)
  const shift = shiftAt(record, wall)
  if (shift !== undefined) return (wall - shift) * MICROS_PER_SECOND
  const zone = options.sourceTimezone ?? exported(record, 'timezone')
  if (zone === undefined) {
    throw new Rejection(
      'timestamp_zone_unknown',
      "the visit's times do not tell the site's time zone: name it with --source-timezone",
    )
  }
  return wall * MICROS_PER_SECOND - zoneOffsetMicros(wall * MICROS_PER_SECOND, zone)
}

/** Seconds that the wall was ahead of UTC at an action; undefined where the visit doesn't tell for certain. */
function shiftAt(record: RecordView, wall: number): number | undefined {
  const place = childPlace(record)
  const [begun, ended] = [seconds(record.text('firstAction')), seconds(record.text('lastAction'))]
  const shift = shiftOf(Number(place?.first) - begun)
  // The last action of a visit that was cut short is not the visit's last.
  if (shift === undefined || record.text('truncated') !== undefined || Number.isNaN(ended)) return shift
  const change = Number(place?.last) - ended - shift
  const summer = SUMMER_TIME.find((one) => Math.abs(change - one) <= SLACK)
  // A page that stays open puts off the end of a visit. Nothing puts it earlier.
  if (summer === undefined) return change <= SLACK ? shift : undefined
  const fits = [shift, shift + summer].filter(
    (one) => wall - one >= begun - SLACK && wall - one <= ended + SLACK,
  )
  return fits.length === 1 ? fits[0] : undefined
}

function shiftOf(gap: number): number | undefined {
  const shift = Math.round(gap / QUARTER) * QUARTER
  return Math.abs(gap - shift) <= SLACK && Math.abs(shift) <= MOST_SHIFT ? shift : undefined
}

function seconds(text: string | undefined): number {
  return text === undefined ? Number.NaN : Number(text)
}

/** For `(child)`: the first and the last time of a visit's actions, and of a link the page that it was on. */
export function siblings(children: readonly string[]): (index: number) => Readonly<Record<string, unknown>> {
  const actions = children.map((json) => JSON.parse(json) as Action | null)
  const times = actions.map((action) => Number(action?.timestamp)).filter((time) => time > 0)
  const range = times.length === 0 ? {} : { first: times[0], last: times.at(-1) }
  const pages = new Map<unknown, unknown>()
  for (const action of actions) if (action?.type === 'action') pages.set(action.idpageview, action.url)
  return (index) => {
    const { type, idpageview } = actions[index] ?? {}
    const page = type === 'outlink' || type === 'download' ? pages.get(idpageview) : undefined
    return { ...range, ...(typeof page === 'string' && { page }) }
  }
}

interface Action {
  readonly type?: unknown
  readonly timestamp?: unknown
  readonly idpageview?: unknown
  readonly url?: unknown
}

/** What `export matomo` adds to every visit: where it came from. */
export const EXPORT_MEMBER = '(export)'

/** What the export said of the visit; undefined for files of another origin. */
export function exported(record: RecordView, name: 'base_url' | 'timezone'): string | undefined {
  const json = record.object('export')
  const value = json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
