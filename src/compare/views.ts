import { type ChartView, NEWEST_TRY } from './chart-view.ts'
import { EVENTS_TABLE } from './read-datasets.ts'

/** The dataset's own events, by their final names. */
export function eventsView(properties: readonly string[], zone: string): ChartView {
  const values = properties.map((_, at) => `, p${at}`).join('')
  return {
    rows: `SELECT name, instant, person, personless${values} FROM ${EVENTS_TABLE}`,
    zone,
    rule: NEWEST_TRY,
    names: (final) => [final],
  }
}
