import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import type { Engine } from '../../transform/engine.ts'
import { mapJoined } from '../../transform/side/joiner.ts'
import type { SampleRecord } from '../sample-record.ts'
import type { PropertyRow } from '../studio-data.ts'
import type { Made } from './mapped-sample.ts'
import { MemberFills, MemberFinder } from './member-fills.ts'
import { propertyRows } from './property-rows.ts'
import { RecordCutter } from './record-cutter.ts'

/** The members of some records. */
export interface Stock {
  /** The fullest first. */
  readonly rows: readonly PropertyRow[]
  /** How often a member is met that is not told apart. */
  readonly others: number
}

/** What is mapped, by which rules. */
export interface StockFrom {
  readonly records: readonly SampleRecord[]
  readonly engine: Engine
  readonly preset: Preset
  readonly mapping: Mapping
}

/**
 * Takes stock of the members of what was made. The mapper tells what became of members only of all records since it was last
 * asked, so the records are mapped once more.
 */
export function stockOf(made: readonly Made[], { records, engine, preset, mapping }: StockFrom): Stock {
  const { mapper, joiner } = engine
  const finder = new MemberFinder(preset, mapping)
  const fills = new MemberFills()
  const wanted = new Map(made.map((one) => [`${one.record}:${one.child}`, one.outcome === 'event']))
  let record = 0
  const cutter = new RecordCutter(engine, {
    item(bytes, start, end, child) {
      const isSent = wanted.get(`${record}:${child}`)
      if (isSent === undefined) return 'filtered'
      const joined = joiner?.join(bytes, start, end)
      const members = joined ? finder.find(joined, 0, joined.length) : finder.find(bytes, start, end)
      fills.add(members, isSent)
      if (!isSent) return 'filtered'
      mapper.out.length = 0
      return mapJoined(mapper, joiner, bytes, start, end).status
    },
    none() {},
  })
  for (record of new Set(made.map((one) => one.record))) {
    const { bytes, refused } = records[record]!
    if (!refused) cutter.cut(bytes)
  }
  mapper.takeNotes()
  joiner?.takeCounts()
  return { rows: propertyRows(fills.fills, mapper.takeInventory(), made.length), others: fills.others }
}
