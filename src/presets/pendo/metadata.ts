import { type RecordView, Rejection } from '../../mapping/index.ts'
import { members } from '../../record/index.ts'
import { requiredTime } from '../required.ts'

/** What Pendo books of a visitor or an account itself: visits, browsers. */
const OWN_BOOKS = /^auto(?:__.*)?$/
/** Sources whose values are the customer's own, and need no name before theirs. */
const PLAIN = new Set(['agent', 'custom'])

/**
 * What the customer's sources say of a visitor or an account, as [name, JSON as written]. A value of another source, such
 * as `salesforce`, has its source before the name; so has one whose name another source has taken.
 */
export function metadataOf(record: RecordView): ReadonlyArray<readonly [string, string]> {
  const told = new Map<string, string>()
  for (const [source, json] of sourcesOf(record)) {
    if (OWN_BOOKS.test(source)) continue
    if (!json.startsWith('{')) told.set(source, json)
    for (const [name, value] of json.startsWith('{') ? members(json) : []) {
      told.set(PLAIN.has(source) && !told.has(name) ? name : `${source}_${name}`, value)
    }
  }
  return [...told].filter(([, json]) => json !== 'null' && json !== '""')
}

/** Sources stand in `metadata`, or beside the id. */
function sourcesOf(record: RecordView): Array<readonly [string, string]> {
  const beside = ['agent', 'custom'].flatMap((source) => {
    const json = record.object(source)
    return json === undefined ? [] : [[source, json] as const]
  })
  return [...beside, ...record.entries('metadata')]
}

/** When it was last changed or seen, in microseconds. */
export function metadataTime(record: RecordView): number {
  for (const slot of ['last_updated', 'last_visit', 'first_visit']) {
    if (record.text(slot) !== undefined) return requiredTime(record, slot)
  }
  throw new Rejection('timestamp_missing', 'auto has no lastupdated, lastvisit or firstvisit')
}
