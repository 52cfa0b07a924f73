import type { EventRow, StudioModel } from '../studio-data.ts'
import { timelineOf } from './day-counts.ts'
import { bySource, eventRow } from './event-rows.ts'
import { type ForecastFrom, forecastRows } from './forecast-rows.ts'
import { type Made, mapSample } from './mapped-sample.ts'
import { peopleOf } from './people-forecast.ts'
import { reasonRows } from './reason-rows.ts'
import { type Stock, type StockFrom, stockOf } from './stock.ts'

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
  /** Of every name in the source; commonest first. */
  readonly events: readonly EventRow[]
  readonly stock: Stock
  /** The members of the records of one event, by its name in the source. It maps them once more. */
  readonly stockOf: (source: string) => Stock
}

/** What a mapping makes of a sample. Pure but for the engine's buffers. */
export function buildModel(from: ModelFrom): BuiltModel {
  const { records, engine, preset, mapping, revision, presetName } = from
  const mapped = mapSample(records, engine, mapping)
  const { made } = mapped
  const groups = bySource(made)
  const events = groups.map(([source, group]) => eventRow(source, group, { preset, mapping }))
  const stock = stockOf(made, from)
  const count = (outcome: Made['outcome']) => made.filter((one) => one.outcome === outcome).length
  return {
    made,
    events,
    stock,
    stockOf: (source) =>
      stockOf(
        made.filter((one) => one.source === source),
        from,
      ),
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
      names: {
        total: events.length,
        unmapped: events.filter(({ fate }) => fate === 'unmapped').length,
        record: events[0]?.record ?? null,
      },
      members: stock.rows.length,
      rejects: reasonRows(made, 'rejected', preset),
      filtered: reasonRows(made, 'filtered', preset),
      timeline: timelineOf(made.flatMap(({ event }) => event ?? [])),
      people: peopleOf(made),
      forecast: forecastRows(mapped, from),
      idleRules: mapped.idleRules,
    },
  }
}
