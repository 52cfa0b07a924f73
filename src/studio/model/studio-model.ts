import { mendingOf } from '../../checks/words/rejects.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { RecordLoop } from '../../pipeline/loop.ts'
import { dayText } from '../../record/time.ts'
import { groupedBy } from '../../text/lists.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import type { EventRow, PropertyRow, ReasonRow, StudioModel } from '../studio-data.ts'
import type { SampleRecord } from '../studio-sample.ts'
import { bySource, eventRow, filterRule } from './event-rows.ts'
import { type ForecastFrom, forecastRows } from './forecast-rows.ts'
import { type MadeEvent, mapSample, type SampleOutcome } from './mapped-sample.ts'
import { MemberFills, MemberFinder, propertyRows } from './property-rows.ts'

/** The members of some records. */
interface Stock {
  /** The fullest first. */
  readonly rows: readonly PropertyRow[]
  /** How often a member is met that is not told apart. */
  readonly others: number
}

/** What is mapped, by which rules. */
interface StockFrom {
  readonly records: readonly SampleRecord[]
  readonly engine: Engine
  readonly preset: Preset
  readonly mapping: Mapping
}

/**
 * Takes stock of the members of what was made. The mapper tells what became of members only of all records since it was last
 * asked, so the records are mapped once more.
 */
function stockOf(made: readonly SampleOutcome[], { records, engine, preset, mapping }: StockFrom): Stock {
  const finder = new MemberFinder(preset, mapping)
  const fills = new MemberFills()
  const wanted = new Map(made.map((one) => [`${one.record}:${one.child}`, one.outcome === 'event']))
  let record = 0
  const loop = new RecordLoop(engine, {
    wants(bytes, start, end, { child = null }) {
      const isSent = wanted.get(`${record}:${child}`)
      if (isSent !== undefined) fills.add(finder.find(bytes, start, end), isSent)
      return isSent === true
    },
    take() {},
  })
  for (record of new Set(made.map((one) => one.record))) {
    const { bytes, refused } = records[record]!
    if (!refused) loop.give(bytes)
  }
  const { inventory } = engine.takeCounts()
  return { rows: propertyRows(fills.fills, inventory, made.length), others: fills.others }
}

const MOST_EXAMPLES = 5
/** A file of rejects may have any reasons. */
const MOST_REASONS = 100

/** What was rejected, or filtered, by reason; commonest first. */
function reasonRows(
  made: readonly SampleOutcome[],
  outcome: 'rejected' | 'filtered',
  preset: Pick<Preset, 'vendor'>,
): ReasonRow[] {
  const groups = new Map<string, { count: number; examples: Array<{ record: number; message: string }> }>()
  for (const one of made) {
    if (one.outcome !== outcome) continue
    const reason = one.reason ?? outcome
    const group = groups.get(reason) ?? { count: 0, examples: [] }
    groups.set(reason, group)
    group.count++
    if (group.examples.length < MOST_EXAMPLES)
      group.examples.push({ record: one.record, message: one.message ?? filterRule(reason, preset) })
  }
  return [...groups]
    .map(([reason, group]) => ({
      reason,
      ...group,
      message: group.examples[0]!.message,
      ...(outcome === 'rejected' && { mending: mendingOf(reason) }),
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_REASONS)
}

function daysOf(events: readonly MadeEvent[]): StudioModel['days'] {
  const days = groupedBy(events, ({ instant }) => Math.floor(instant / MICROS_PER_DAY))
  return [...days].sort(([a], [b]) => a - b).map(([day, { length: count }]) => ({ day: dayText(day), count }))
}

/** What a model is built from. */
interface ModelFrom extends StockFrom, ForecastFrom {
  readonly revision: string
  /** As a mapping file names it. */
  readonly presetName: string
}

export interface BuiltModel {
  readonly model: StudioModel
  /** What became of each record, and of each child of one, in the order of the records. */
  readonly made: readonly SampleOutcome[]
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
  const count = (outcome: SampleOutcome['outcome']) => made.filter((one) => one.outcome === outcome).length
  const of = (source: string) => made.filter((one) => one.source === source)
  return {
    made,
    events,
    stock,
    stockOf: (source) => stockOf(of(source), from),
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
      days: daysOf(made.flatMap(({ event }) => event ?? [])),
      forecast: forecastRows(mapped, from),
      idleRules: mapped.idleRules,
    },
  }
}
