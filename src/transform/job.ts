import type { InputFile } from '../inputs/input-file.ts'
import type { ColumnMapping } from '../mapping/columns.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Inventory } from '../record/inventory.ts'
import type { Notes } from '../record/notes.ts'
import type { Segment } from './run/frame.ts'

/** All that a worker needs to know. Plain data: it crosses threads and is fingerprinted. */
export interface Job {
  readonly preset: string
  /** The version of the rules: events of other rules are other events. */
  readonly rules: string
  /** The value of `$import_job_id`; null to send none. */
  readonly importId: string | null
  readonly mapping: Mapping
  /** For CSV and TSV inputs. */
  readonly columns: ColumnMapping
  readonly switches: readonly string[]
  readonly groupEventName: string
  readonly gzip: boolean
  /** Where the dataset goes. */
  readonly out: string
  /** Folder on this machine for runs and the journal; undefined for a dry run, which writes nothing. */
  readonly work: string | undefined
  /** The clock at the transform's first start, in microseconds: a resumed transform uses the same. */
  readonly now: number
  readonly inputs: readonly InputFile[]
  readonly units: readonly Unit[]
}

/** A piece of the input that one worker maps in one go: a whole file, or a byte range of a plain NDJSON file. */
export interface Unit {
  readonly input: number
  readonly range: { readonly start: number; readonly end: number } | undefined
  /** Bytes on disk, for progress. */
  readonly bytes: number
}

/** The result of mapping a unit. */
export interface UnitResult {
  readonly read: number
  readonly mapped: number
  readonly rejects: Record<string, number>
  readonly filtered: Record<string, number>
  readonly notes: Notes
  readonly inventory: Inventory
  /** Line ends in the unit: the next unit of the same file counts its lines from there. */
  readonly lines: number
  readonly segments: readonly Segment[]
}
