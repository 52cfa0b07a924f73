import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import { type Inventory, InventorySum } from '../../record/inventory.ts'
import type { Engine } from '../../transform/engine.ts'
import { mapJoined } from '../../transform/side/joiner.ts'
import type { SampleRecord } from '../sample-record.ts'
import type { PropertyRow } from '../studio-data.ts'
import type { Made } from './mapped-sample.ts'
import { MemberFills, MemberFinder } from './member-fills.ts'
import { propertyRows } from './property-rows.ts'
import { RecordCutter } from './record-cutter.ts'

/** The properties of an event are counted by name for so many events; those of the others count for all. */
const MOST_EVENTS = 50
/** Of one event so many are listed, the fullest. */
const MOST_LISTED = 60

/** The members of a sample's records: of all, and of each event of the source. */
export interface Stock {
  readonly all: readonly PropertyRow[]
  /** How often a member is met that is not told apart. */
  readonly others: number
  readonly ofSource: ReadonlyMap<string | null, readonly PropertyRow[]>
}

/** What is mapped, by which rules. */
export interface StockFrom {
  readonly records: readonly SampleRecord[]
  readonly engine: Engine
  readonly preset: Preset
  readonly mapping: Mapping
}

/**
 * Takes stock of the members, event by event: the mapper tells what became of members only of all records since it was
 * last asked, so the records of each event are mapped once more, in a row.
 */
export function takeStock(
  groups: ReadonlyArray<readonly [source: string | null, made: readonly Made[]]>,
  from: StockFrom,
): Stock {
  const all = new MemberFills()
  const sum = new InventorySum()
  const finder = new MemberFinder(from.preset, from.mapping)
  const ofSource = new Map<string | null, readonly PropertyRow[]>()
  const told = groups.slice(0, MOST_EVENTS)
  for (const [source, made] of told) {
    const own = new MemberFills()
    const inventory = stockOf(made, from, finder, [own, all])
    sum.add(inventory)
    ofSource.set(source, propertyRows(own.fills, inventory, made.length).slice(0, MOST_LISTED))
  }
  const rest = groups.slice(MOST_EVENTS).flatMap(([, made]) => made)
  if (rest.length > 0) sum.add(stockOf(rest, from, finder, [all]))
  const total = groups.reduce((count, [, made]) => count + made.length, 0)
  return { all: propertyRows(all.fills, sum.take(), total), others: all.others, ofSource }
}

/** Counts the members of these into `fills`; returns what became of those that are events. */
function stockOf(
  made: readonly Made[],
  { records, engine }: StockFrom,
  finder: MemberFinder,
  fills: readonly MemberFills[],
): Inventory {
  const { mapper, joiner } = engine
  const wanted = new Map(made.map((one) => [`${one.record}:${one.child}`, one.outcome === 'event']))
  let record = 0
  const cutter = new RecordCutter(engine, {
    item(bytes, start, end, child) {
      const isSent = wanted.get(`${record}:${child}`)
      if (isSent === undefined) return 'filtered'
      const joined = joiner?.join(bytes, start, end)
      const members = joined ? finder.find(joined, 0, joined.length) : finder.find(bytes, start, end)
      for (const one of fills) one.add(members, isSent)
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
  return mapper.takeInventory()
}
