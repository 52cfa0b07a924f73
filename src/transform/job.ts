import type { InputFile } from '../inputs/input-file.ts'
import type { ColumnMapping } from '../mapping/columns.ts'
import type { RecordRules } from '../pipeline/engine.ts'
import type { JoinCounts } from '../pipeline/side/built.ts'
import type { RecordCounts } from '../record/counts.ts'
import type { Inventory } from '../record/inventory.ts'
import type { Notes } from '../record/notes.ts'
import type { EarlierDataset } from './after/earlier.ts'
import type { ForgetList } from './forget/forget-list.ts'
import type { ForgottenIds, SoughtIds } from './forget/id-set.ts'
import type { UnitOutcomes } from './outcome-count.ts'
import type { Preview } from './preview.ts'
import type { Repeats } from './repeats.ts'
import type { Segment } from './run/frame.ts'
import type { TrialOrder } from './trial/trial-order.ts'
import type { WrittenFile } from './work-file.ts'

/** All that a transform does, and with what. Plain data: it is fingerprinted, and most of it crosses threads. */
export interface Job extends RecordRules {
  /** The version of the rules: events of other rules are other events. */
  readonly rules: string
  readonly columns: ColumnMapping
  /** True when a rule reads the table's name: see mapping/side-table.ts. */
  readonly withTable: boolean
  /** The ids of people whose records are left out; undefined for none. */
  readonly forget: ForgetList | undefined
  /** All ids of these people, once they are found. */
  readonly forgotten?: ForgottenIds | undefined
  readonly gzip: boolean
  /** The trial that is made in place of the whole. */
  readonly trial?: TrialOrder | undefined
  readonly out: string
  /** Folder on this machine for runs and the journal; undefined for a dry run, which writes nothing. */
  readonly work: string | undefined
  readonly inputs: readonly InputFile[]
  /** Datasets of earlier windows, whose events and links are not made again. */
  readonly after: readonly EarlierDataset[]
  readonly units: readonly Unit[]
}

/**
 * What a worker is told of a job at its start. Inputs come with each task: a list of 200,000 files takes 100 MB, and each
 * thread would have it.
 */
export type WorkerJob = Omit<Job, 'inputs' | 'units'>

/** A piece of the input that one worker maps in one go: a byte range of a plain NDJSON file, a whole file, or several. */
export interface Unit {
  /** The number of its first input, and how many it is made of. */
  readonly input: number
  readonly files: number
  readonly range: { readonly start: number; readonly end: number } | undefined
  /** Bytes on disk, for progress. */
  readonly bytes: number
}

export interface UnitResult {
  /** Events that could be made: records, or children of them. */
  readonly read: number
  readonly mapped: number
  readonly rejects: Record<string, number>
  readonly filtered: Record<string, number>
  readonly joins: Record<string, JoinCounts>
  /** The records themselves, when one becomes several events. */
  readonly records: RecordCounts | null
  readonly notes: Notes
  readonly inventory: Inventory
  readonly outcomes: UnitOutcomes
  /** Rules of the mapping file that none of the records matched; null where not all were looked at. */
  readonly idle?: readonly string[] | null | undefined
  /** Names under `properties.hash` that none of the events had. */
  readonly unhashed?: readonly string[] | undefined
  /** Line ends in the unit: the next unit of the same file counts its lines from there. */
  readonly lines: number
  readonly segments: readonly Segment[]
  /** Observations, and rejects, whose lines are numbered within the unit. */
  readonly seenFile: WrittenFile
  readonly rejectsFile: WrittenFile
  /** Of a dry run. */
  readonly preview?: Preview
  readonly repeats?: Repeats
}

/** A unit as whoever reads it is told: with its inputs. */
export interface UnitOrder extends Pick<Unit, 'range'> {
  readonly unit: number
  readonly inputs: readonly InputFile[]
  /** True where a reject says which file it is from: the job has more than one. */
  readonly namesFile: boolean
}

/** A unit to read for its links, and for the ids of a list all of which must be found. */
export interface LinksOrder extends UnitOrder {
  readonly folder: string
  readonly salt: string
  readonly sought?: SoughtIds | undefined
}

/** The order to read a job's unit of that number. */
export function unitOrder({ inputs, units }: Pick<Job, 'inputs' | 'units'>, unit: number): UnitOrder {
  const { input, files, range } = units[unit]!
  return { unit, inputs: inputs.slice(input, input + files), range, namesFile: inputs.length > 1 }
}
