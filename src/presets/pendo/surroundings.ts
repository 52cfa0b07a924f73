import type { Draft, RecordView } from '../../mapping/index.ts'
import { parseTime } from '../../record/index.ts'
import { MICROS_PER_DAY } from '../../text/index.ts'
import { requiredTime } from '../required.ts'

/** A region is a code, as `BE` or `DE-BE`, or a name. */
export function setPlace(record: RecordView, draft: Draft): void {
  const country = record.text('country')
  if (country !== undefined)
    draft.text(/^[A-Za-z]{2}$/.test(country) ? '$geoip_country_code' : '$geoip_country_name', country)
  const region = record.text('region')
  const code = /^(?:[A-Z]{2}-)?([A-Z\d]{1,3})$/.exec(region ?? '')?.[1]
  if (code !== undefined) draft.text('$geoip_subdivision_1_code', code)
  else if (region !== undefined) draft.text('$geoip_subdivision_1_name', region)
}

/** The time is of the visitor's own clock. Pendo's, when the event arrived there, shows a wrong one. */
export function checkClock(record: RecordView, draft: Draft): void {
  const received = record.text('received')
  if (received === undefined) return
  const gap = gapOf(received, requiredTime(record, 'time'))
  if (gap !== undefined && gap > MICROS_PER_DAY)
    draft.unusable('browserTimestamp is over a day from receivedTimestamp: a wrong clock')
}

function gapOf(received: string, instant: number): number | undefined {
  try {
    return Math.abs(parseTime(received) - instant)
  } catch {
    return undefined
  }
}
