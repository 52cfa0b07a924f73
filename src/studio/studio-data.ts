// What the studio's page and its server say to each other, as JSON. All of it is data: names, values and messages may
// hold any text that a source holds. Counts are of the sample, never of the whole input, unless a name says otherwise.
//
// The page lies at /<token>/ and asks below it, by relative addresses:
//   GET  api/state                  StudioState
//   POST api/preview  PreviewRequest  PreviewAnswer   200 also for a faulty mapping
//   GET  api/events?…               EventTable        query: EventQuery
//   GET  api/properties?…           PropertyTable     query: PropertyQuery
//   GET  api/records?…              RecordList        query: RecordQuery
//   GET  api/records/<number>       StudioRecord      404 for none
//   POST api/edit     EditRequest     EditAnswer      422 Refusal where the edit can't be made
//   POST api/save     SaveRequest     SaveAnswer      409 Refusal changed_on_disk, 422 Refusal mapping_faulty
// Every other failure is a Refusal too: 403 not_allowed, 404 not_found, 413 too_large, 400 bad_request, 500 failed.
// A POST has the type application/json.

import type { EventFate, EventRow, PropertyFate, PropertyRow, StudioModel } from './model-data.ts'
import type { Trace } from './trace.ts'

export type * from './model-data.ts'
export type * from './trace.ts'
export type { Trace as RecordTrace } from './trace.ts'

/** What the page begins with. */
export interface StudioState {
  /** Of the tool. */
  readonly version: string
  readonly input: StudioInput
  readonly mapping: MappingText
  /** Of the mapping file as it is; of the preset alone while `fault` is set. */
  readonly model: StudioModel
  readonly fault: MappingFault | null
  /** What a mapping file can name as `preset:`. */
  readonly presets: ReadonlyArray<{ readonly name: string; readonly vendor: string }>
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
  /** Why the text to start from is as it is: how the vendor was recognised. Empty for a file that exists. */
  readonly reasons: readonly string[]
}

/** Why a mapping can't be used. */
export interface MappingFault {
  /** From 1; null where the fault has no place in the text, such as a column that the input lacks. */
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string | null
}

/** A part of a table. Each as a parameter of the address. */
export interface PageQuery {
  /** 0 when not given. */
  readonly offset?: number
  /** 50 when not given; 200 at most. */
  readonly limit?: number
}

/** Names of events. Without `sort` the commonest come first. */
export interface EventQuery extends PageQuery {
  /** In the name of the source or of the service; upper and lower case are the same. */
  readonly text?: string
  readonly fate?: EventFate
  readonly sort?: EventSort
  /** The greatest first. */
  readonly descending?: boolean
}

export type EventSort = 'source' | 'count' | 'fate' | 'name'

/** Members of the records. The fullest come first. */
export interface PropertyQuery extends PageQuery {
  /** Of the records of one event, by its name in the source. */
  readonly event?: string
  /** In the path, or in a name in the service; upper and lower case are the same. */
  readonly text?: string
  readonly fate?: PropertyFate
}

/** Some rows of a table, and how many there are: searches and counts are of all rows, not of those that are shown. */
export interface TablePage<Row, Fate extends string> {
  readonly revision: string
  readonly rows: readonly Row[]
  /** All that the query fits. */
  readonly total: number
  /** All that there are. */
  readonly all: number
  /** All, by what becomes of them. */
  readonly fates: Readonly<Partial<Record<Fate, number>>>
}

export type EventTable = TablePage<EventRow, EventFate>

export interface PropertyTable extends TablePage<PropertyRow, PropertyFate> {
  /** How often a member is met that is not told apart, because there are too many. */
  readonly others: number
}

export type Outcome = 'event' | 'rejected' | 'filtered'

/** Each as a parameter of the address; what is not given does not count. */
export interface RecordQuery extends PageQuery {
  /** Its name in the source. */
  readonly event?: string
  /** Its name in the service. */
  readonly name?: string
  readonly outcome?: Outcome
  readonly reason?: string
  /** Text in the record. */
  readonly text?: string
}

export interface RecordList {
  readonly revision: string
  /** All that the query fits. */
  readonly total: number
  readonly records: readonly RecordRow[]
}

/** One line of the list. */
export interface RecordRow {
  /** By which it is asked for; its place in the sample, from 0. */
  readonly number: number
  readonly file: string
  /** In the file, from 1; null where the reading began in the middle of the file. */
  readonly line: number | null
  readonly outcome: Outcome
  readonly reason: string | null
  readonly source: string | null
  /** In the service; null for no event. */
  readonly name: string | null
  /** RFC 3339, UTC; null for no event. */
  readonly timestamp: string | null
  readonly distinctId: string | null
  /** Events that it becomes. */
  readonly events: number
}

/** A record and its events, side by side. */
export interface StudioRecord {
  readonly revision: string
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

export interface PreviewRequest {
  readonly yaml: string
}

/** `model` is null exactly when `fault` is set. */
export interface PreviewAnswer {
  readonly model: StudioModel | null
  readonly fault: MappingFault | null
}

/** A change of the mapping that the page can make without text. Names of events are the source's. */
export type Edit =
  | { readonly kind: 'drop_event'; readonly event: string }
  /** No longer drops it, and adds it to `events.keep` where that is given. */
  | { readonly kind: 'keep_event'; readonly event: string }
  | { readonly kind: 'rename_event'; readonly event: string; readonly to: string }
  /** Takes the rename back. */
  | { readonly kind: 'reset_event'; readonly event: string }
  /** Names of properties are those of `PropertyRow.editable`. */
  | { readonly kind: 'drop_property'; readonly property: string }
  | { readonly kind: 'keep_property'; readonly property: string }
  | { readonly kind: 'rename_property'; readonly property: string; readonly to: string }
  | { readonly kind: 'reset_property'; readonly property: string }
  /** Takes a field of the event from a path in the record; null gives it back to the preset. */
  | { readonly kind: 'set_field'; readonly field: EditableField; readonly path: string | null }
  | { readonly kind: 'set_group'; readonly type: string; readonly path: string | null }
  | { readonly kind: 'set_preset'; readonly preset: string }
  | { readonly kind: 'set_timezone'; readonly zone: string | null }

export type EditableField =
  | 'event'
  | 'distinct_id'
  | 'timestamp'
  | 'uuid'
  | 'anonymous_id'
  | 'session_id'
  | 'session_start'

export interface EditRequest {
  readonly yaml: string
  readonly edit: Edit
}

/** The text after the edit; nothing is saved. */
export interface EditAnswer {
  readonly yaml: string
}

export interface SaveRequest {
  readonly yaml: string
  /** `MappingText.digest` as the page read it. */
  readonly digest: string | null
}

export interface SaveAnswer {
  readonly mapping: MappingText
}

/** Why a request was refused. */
export interface Refusal {
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
