// What the studio's page and its server say to each other, as JSON. All of it is data: names, values and messages may
// hold any text that a source holds. Counts are of the sample, never of the whole input, unless a name says otherwise.
//
// The page lies at /<token>/ and asks below it, by relative addresses:
//   GET  api/state                  StudioState
//   POST api/preview  previewRequest  PreviewAnswer   200 also for a faulty mapping
//   POST api/columns  columnQuery     ColumnTable       422 Refusal where no input is a table of text
//   GET  api/events?…               EventTable        query: eventQuery
//   GET  api/properties?…           PropertyTable     query: propertyQuery
//   GET  api/records?…              RecordList        query: recordQuery
//   GET  api/records/<number>       StudioRecord      404 for none
//   POST api/edit     editRequest     EditAnswer      422 Refusal where the edit can't be made
//   POST api/tests/run  testRunRequest  TestRun       422 Refusal mapping_faulty
//   POST api/save     saveRequest     SaveAnswer      409 Refusal changed_on_disk, 422 Refusal mapping_faulty
// Every other failure is a Refusal too: 403 not_allowed, 404 not_found, 413 too_large, 400 bad_request, 500 failed.
// A POST has the type application/json. What is asked is described in server/requests.ts.

import type { StudioModel } from './model-data.ts'
import type { Setup } from './setup-data.ts'
import type { Trace } from './trace.ts'

export type * from './model-data.ts'
export type {
  ColumnQuery,
  ColumnRule,
  Edit,
  EventQuery,
  PageQuery,
  PropertyQuery,
  RecordQuery,
  SetupEdit,
} from './server/requests.ts'
export type * from './setup-data.ts'
export type * from './trace.ts'

/** What the page begins with. */
export interface StudioState {
  /** Of the tool. */
  readonly version: string
  readonly input: StudioInput
  readonly mapping: MappingText
  /** Of the mapping file as it is; of the preset alone while `fault` is set. */
  readonly model: StudioModel
  /** Null for a text that is no map at all. */
  readonly setup: Setup | null
  readonly fault: MappingFault | null
  /** What a mapping file can name as `preset:`. */
  readonly presets: ReadonlyArray<{ readonly name: string; readonly vendor: string }>
  /** In their order. */
  readonly next: readonly NextStep[]
}

/** What was read. */
export interface StudioInput {
  /** The inputs as typed. */
  readonly said: readonly string[]
  readonly files: number
  /** On disk or in the bucket, packed where the files are packed. */
  readonly bytes: number
  /** In the sample. */
  readonly records: number
  /** True when the sample is all there is. */
  readonly whole: boolean
  /** Records in the whole input, judged by the sample's share of the bytes; null where nothing tells. */
  readonly estimatedRecords: number | null
}

/** The mapping file. */
export interface MappingText {
  /** As typed; where none was named, the one that saving makes. */
  readonly path: string
  /** False until it is saved for the first time: `yaml` is then a text to start from. */
  readonly exists: boolean
  readonly yaml: string
  /** sha256 of the file's bytes, to be sent back with a save; null while there is no file. */
  readonly digest: string | null
  /** Options of the command line that win over the file: `--preset mixpanel`. */
  readonly options: readonly string[]
}

/** Why a mapping can't be used. */
export interface MappingFault {
  /** From 1; null where the fault has no place in the text, such as a column that the input lacks. */
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string | null
}

export type Outcome = 'event' | 'rejected' | 'filtered'

export interface RecordList {
  /** All that the query fits. */
  readonly total: number
  readonly records: readonly RecordRow[]
}

/** One line of the list. */
export interface RecordRow {
  /** By which it is asked for; its place in the sample, from 0. */
  readonly number: number
  readonly outcome: Outcome
  readonly reason: string | null
  readonly source: string | null
  /** In the service; null for no event. */
  readonly name: string | null
  /** RFC 3339, UTC; null for no event. */
  readonly timestamp: string | null
  readonly distinctId: string | null
}

/** A test that was made of a record. */
export interface AddedTest {
  readonly name: string
  /** The file that it belongs to. */
  readonly file: string
  /** The text of the mapping with it, which is not saved yet; null where it was written to a file of tests. */
  readonly yaml: string | null
}

/** A command that comes once the mapping is right. */
export interface NextStep {
  readonly line: string
  readonly what: string
}

/** A test of the mapping that its text fails. */
export interface FailingTest {
  readonly name: string
  readonly file: string
  readonly differences: ReadonlyArray<{
    readonly member: string
    readonly expected: string | null
    readonly cameOut: string | null
  }>
  /** Why the record could not be read, or was rejected. */
  readonly why: readonly string[]
}

/** What the tests say of a text. */
export interface TestRun {
  readonly failing: readonly FailingTest[]
  /** The text with what came out in its own tests, where that was asked for and it has such tests; it is not saved yet. */
  readonly yaml: string | null
}

/** A record and its events, side by side. */
export interface StudioRecord {
  readonly number: number
  readonly file: string
  readonly line: number | null
  /** Null for a record that its reader refused; `refused` then says why. */
  readonly trace: Trace | null
  readonly refused: {
    readonly reason: string
    readonly message: string
    /** Its text; null when it was too long to be held. */
    readonly record: string | null
  } | null
}

/** `model` is null exactly when `fault` is set. */
export interface PreviewAnswer {
  readonly model: StudioModel | null
  /** Null for a text that is no map at all. */
  readonly setup: Setup | null
  readonly fault: MappingFault | null
}

/** The text after the edit; nothing is saved. */
export interface EditAnswer {
  readonly yaml: string
}

export interface SaveAnswer {
  readonly mapping: MappingText
}

/** Why a request was refused. */
export interface StudioRefusal {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint: string | null
    /** For `changed_on_disk`: the file as it is now. */
    readonly mapping?: MappingText
    /** For `mapping_faulty`. */
    readonly fault?: MappingFault
  }
}
