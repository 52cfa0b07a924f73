import type { EventRow, StudioModel } from '../studio-data.ts'
import { timelineOf } from './day-counts.ts'
import { bySource, eventRow } from './event-rows.ts'
import { type ForecastFrom, forecastRows } from './forecast-rows.ts'
import { type Made, mapSample } from './mapped-sample.ts'
import { peopleOf } from './people-forecast.ts'
import { reasonRows } from './reason-rows.ts'
import { type StockFrom, takeStock } from './stock.ts'

const MOST_EVENTS = 200

/** What a model is built from. */
export interface ModelFrom extends StockFrom, ForecastFrom {
  readonly revision: string
  /** As a mapping file names it. */
  readonly presetName: string
}

export interface BuiltModel {
  readonly model: StudioModel
  /** What became of each record, and of each child of one, in the order of the records. */
  readonly made: readonly Made[]
}

/** What a mapping makes of a sample. Pure but for the engine's buffers. */
export function buildModel(from: ModelFrom): BuiltModel {
  const { records, engine, preset, mapping, revision, presetName } = from
  const mapped = mapSample(records, engine, mapping)
  const { made } = mapped
  const groups = bySource(made)
  const stock = takeStock(groups, from)
  const events = groups.slice(0, MOST_EVENTS).map(([source, group]): EventRow => {
    return {
      ...eventRow(source, group, { preset, mapping }),
      properties: stock.ofSource.get(source) ?? [],
    }
  })
  const count = (outcome: Made['outcome']) => made.filter((one) => one.outcome === outcome).length
  return {
    made,
    model: {
      revision,
      preset: presetName,
      counts: {
        records: records.length,
        made: made.length,
        events: count('event'),
        rejected: count('rejected'),
        filtered: count('filtered'),
      },
      events,
      otherEvents: groups.slice(MOST_EVENTS).reduce((sum, [, group]) => sum + group.length, 0),
      properties: stock.all,
      otherProperties: stock.others,
      rejects: reasonRows(made, 'rejected', preset),
      filtered: reasonRows(made, 'filtered', preset),
      timeline: timelineOf(made.flatMap(({ event }) => event ?? [])),
      people: peopleOf(made),
      forecast: forecastRows(mapped, from),
      idleRules: mapped.idleRules,
    },
  }
}
