import type { Fold, SideTable } from '../../mapping/index.ts'
import { members } from '../../record/index.ts'

/** Switch: leaves the tables out that are made of the records themselves. */
export const SINGLE_PASS = 'single-pass'

/** Times of a row, the best first. */
const TIMES = ['true_tstamp', 'derived_tstamp', 'collector_tstamp']

/**
 * What only all records together tell. Delivery is at least once: rows with one event_id and event_fingerprint are one
 * event, and the collector's earliest stands. Rows with one event_id and several fingerprints are several events, of
 * bots and cached pages: the earliest keeps the id as its uuid. A web session has no start in its rows but the earliest.
 */
export const SNOWPLOW_TABLES: readonly SideTable[] = [
  {
    name: 'first_of_id',
    help: 'the first event of each event_id',
    on: { event_id: ['event_id'] },
    as: 'first_of_id',
    ofRecords: ['collector_tstamp', 'event_fingerprint'],
    several: earliest(['collector_tstamp']),
    expected: false,
    unless: SINGLE_PASS,
  },
  {
    name: 'first_delivery',
    help: 'the first delivery of each event',
    on: { event_id: ['event_id'], event_fingerprint: ['event_fingerprint'] },
    as: 'first_delivery',
    ofRecords: ['collector_tstamp'],
    several: earliest(['collector_tstamp']),
    expected: false,
    unless: SINGLE_PASS,
  },
  {
    name: 'session_start',
    help: 'the first event of each web session',
    on: { domain_sessionid: ['domain_sessionid'] },
    as: 'session_start',
    ofRecords: TIMES,
    several: earliest(TIMES),
    expected: false,
    unless: SINGLE_PASS,
  },
]

/** Keeps the row with the earliest time; of two with one time the one whose text is smaller, whatever their order. */
function earliest(times: readonly string[]): Fold {
  const placeOf = (row: string) => {
    const cells = new Map(members(row))
    return times.map((time) => cells.get(time)).find((json) => json !== undefined && json !== 'null') ?? ''
  }
  return (held, row) => {
    if (held === undefined) return row
    const [a, b] = [placeOf(held), placeOf(row)]
    return a < b || (a === b && held < row) ? held : row
  }
}
