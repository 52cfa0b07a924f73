import { Exploder } from '../mapping/explode.ts'
import type { MapperOptions, People } from '../mapping/mapped.ts'
import { Mapper } from '../mapping/mapper.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Preset } from '../mapping/preset.ts'
import type { Inventory } from '../record/inventory.ts'
import type { Notes } from '../record/notes.ts'
import { VERSION } from '../version.ts'
import { type NamedPreset, presetOf } from './preset-of.ts'
import type { BuiltTable, JoinCounts } from './side/built.ts'
import { Joiner } from './side/joiner.ts'

/** All that decides what a record becomes. Plain data: it crosses threads and is fingerprinted. */
export interface RecordRules extends NamedPreset {
  readonly mapping: Mapping
  readonly switches: readonly string[]
  /** The value of `$import_job_id`; null to send none. */
  readonly importId: string | null
  /** For the hashes of `properties.hash`: the key, which no file holds, and what tells it from others. */
  readonly hashKey: { readonly text: string; readonly fingerprint: string } | undefined
  /** The clock, in microseconds: a transform that is resumed uses that of its first start. */
  readonly now: number
  /** What records are joined with, in the order of the preset. */
  readonly sideTables: readonly BuiltTable[]
}

/** What turns records into events: give it to a RecordLoop. Not reentrant. */
export class Engine {
  readonly preset: Preset
  readonly mapping: Mapping
  readonly options: MapperOptions
  readonly mapper: Mapper
  /** Undefined where a record becomes one event. */
  readonly exploder: Exploder | undefined
  /** Undefined without side tables. */
  readonly joiner: Joiner | undefined

  constructor(preset: Preset, mapping: Mapping, options: MapperOptions, tables: readonly BuiltTable[] = []) {
    this.preset = preset
    this.mapping = mapping
    this.options = options
    this.mapper = new Mapper(preset, mapping, options)
    this.exploder = preset.explode && new Exploder(preset.explode, this.mapper.notes.mends)
    this.joiner = tables.length > 0 ? new Joiner(preset.sideTables ?? [], tables) : undefined
  }

  /** What was counted since the last call; joins by side table. */
  takeCounts(): { notes: Notes; inventory: Inventory; joins: Record<string, JoinCounts> } {
    return {
      notes: this.mapper.takeNotes(),
      inventory: this.mapper.takeInventory(),
      joins: this.joiner?.takeCounts() ?? {},
    }
  }

  close(): void {
    this.joiner?.close()
  }
}

/** Loads and compiles preset and mapping. `people` decides whose records are left out. */
export async function makeEngine(rules: RecordRules, people?: People): Promise<Engine> {
  const { mapping, sideTables, now, switches, importId, hashKey } = rules
  const options = {
    now,
    version: VERSION,
    switches: new Set(switches),
    importId,
    hashKey: hashKey?.text,
    people,
  }
  return new Engine(await presetOf(rules), mapping, options, sideTables)
}
