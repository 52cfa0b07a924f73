import type { VendorNames } from '../charts/index.ts'
import type { DifferenceCause } from './causes.ts'
import { type ChartView, type FunnelRule, NEWEST_TRY } from './chart-view.ts'
import { EVENTS_TABLE } from './read-datasets.ts'
import { RECORDS_TABLE } from './read-records.ts'

/** A view of the events, and what it changes against the one before it. */
export interface ViewStage {
  readonly cause: DifferenceCause
  readonly view: ChartView
  /** SQL that counts what it changes: where that is nothing, its answers are those of the one before. */
  readonly changes?: string
}

/** The dataset's own events, by their final names; those that hold a condition. */
export function eventsView(properties: readonly string[], zone: string, condition = 'true'): ChartView {
  const values = properties.map((_, at) => `, p${at}`).join('')
  return {
    rows: `SELECT name, instant, person, personless${values} FROM ${EVENTS_TABLE} WHERE ${condition}`,
    zone,
    rule: NEWEST_TRY,
    names: (final) => [final],
  }
}

/** How the vendor counts. */
export interface VendorRules {
  readonly names: Pick<VendorNames, 'events'>
  readonly rule: FunnelRule
  /** The zone of its days, for the times that its records have, and for those of the events. */
  readonly zones: { readonly records: string; readonly events: string }
}

const COUNTED = 'counted AND vinstant IS NOT NULL'
const KEPT = `fate = 'event' AND NOT copied`

/** The records as the vendor counts them, and step by step what the mapping makes of them. */
export function recordStages(
  properties: readonly string[],
  { names, rule, zones }: VendorRules,
): ViewStage[] {
  const ofVendor = { name: 'vname', instant: 'coalesce(vinstant, instant)', person: 'vperson', values: 'v' }
  const byName = { ...ofVendor, name: 'name' }
  const byValue = { ...byName, values: 'p' }
  const byTime = { ...byValue, instant: 'instant' }
  const view = (columns: typeof ofVendor, condition: string): ChartView => {
    const { name, instant, person, values } = columns
    const isFinal = name === 'name'
    const all = properties.map((_, at) => `, ${values}${at} AS p${at}`).join('')
    return {
      rows:
        `SELECT ${name} AS name, ${instant} AS instant, ${person} AS person, ${isFinal ? 'personless' : 'false AS personless'}${all} ` +
        `FROM ${RECORDS_TABLE} WHERE ${condition}`,
      zone: instant === 'instant' ? zones.events : zones.records,
      rule,
      names: isFinal ? (final) => [final] : (final) => names.events(final),
    }
  }
  const count = (condition: string) => `SELECT count(*) FROM ${RECORDS_TABLE} WHERE ${condition}`
  return [
    { cause: 'vendor', view: view(ofVendor, `${COUNTED} AND NOT vcopied`) },
    {
      cause: 'filtered',
      view: view(ofVendor, `${COUNTED} AND NOT vcopied AND fate <> 'filtered'`),
      changes: count(`fate = 'filtered'`),
    },
    {
      cause: 'rejected',
      view: view(ofVendor, `${COUNTED} AND NOT vcopied AND fate = 'event'`),
      changes: count(`fate = 'rejected'`),
    },
    {
      cause: 'duplicate',
      view: view(ofVendor, `${COUNTED} AND ${KEPT}`),
      changes: count('copied OR vcopied'),
    },
    { cause: 'uncounted', view: view(ofVendor, KEPT), changes: count(`NOT (${COUNTED})`) },
    { cause: 'renamed', view: view(byName, KEPT) },
    { cause: 'property', view: view(byValue, KEPT), ...(properties.length === 0 && { changes: 'SELECT 0' }) },
    { cause: 'time', view: view(byTime, KEPT) },
    { cause: 'people', view: view({ ...byTime, person: 'person' }, KEPT) },
  ]
}
