// What the studio's page and its server say to each other, as JSON: for each of CALLS in server/requests.ts a POST to
// /<token>/api/<call>, and its answer. All of it is data: names, values and messages may hold any text that a source holds.
// Counts are of the sample, never of the whole input, unless a name says otherwise.

import type { Finding } from '../checks/finding.ts'
import type { MappedField } from '../mapping/mapping.ts'
import type { BuiltModel } from './model/studio-model.ts'
import type { listRecords, recordOf } from './record-book.ts'
import type { Call, Edit, OUTCOMES } from './server/requests.ts'
import type { columnTable } from './setup/column-table.ts'
import type { setupOf } from './setup/setup-of.ts'
import type { Workbench } from './workbench.ts'

export type { Asked, Call, ColumnRule, Edit } from './server/requests.ts'
export type Answer<C extends Call> = Awaited<ReturnType<Workbench[C]>>

export type StudioState = Answer<'state'>
export type StudioInput = StudioState['input']
export type StudioModel = BuiltModel['model']
export type EventRow = StudioModel['events'][number]
export type PropertyRow = StudioModel['properties'][number]
export type ReasonRow = StudioModel['rejects'][number]
export type StudioRecord = NonNullable<ReturnType<typeof recordOf>>
export type RecordRow = ReturnType<typeof listRecords>['records'][number]
export type Setup = NonNullable<ReturnType<typeof setupOf>>
export type ColumnRow = ReturnType<typeof columnTable>['rows'][number]
export type Outcome = (typeof OUTCOMES)[number]

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

/** Something that the service or a transform will do to some events. */
export interface ForecastRow extends Finding {
  readonly count: number
  /** The number of a record that shows it. */
  readonly record: number | null
}

/** A command that comes once the mapping is right. */
export interface NextStep {
  readonly line: string
  readonly what: string
}

/** Why a request was refused. */
export interface StudioRefusal {
  readonly message: string
  readonly hint: string | null
  /** Where the file changed since it was read: as it is now. */
  readonly mapping?: MappingText
  readonly fault?: MappingFault
}

export type EditableField = MappedField

/** What `posthaul init` was not sure of: a comment of the file that begins with `?`. */
export interface SetupQuestion {
  readonly text: string
  /** The key that it stands below: a column or a field; '' for the whole file. */
  readonly about: string
  /** What is written, and what could be: two, or three. Each settles the question. */
  readonly answers: readonly SetupAnswer[]
}

export interface SetupAnswer {
  readonly label: string
  readonly edits: readonly Edit[]
  /** What the user has to choose first: another member for a field, one more for it, the time of day, or a zone. */
  readonly choose: SetupChoice | null
}

export type SetupChoice =
  | { readonly what: 'field' | 'fallback'; readonly field: EditableField }
  | { readonly what: 'time of day'; readonly day: string }
  | { readonly what: 'zone' }
  /** A name for the events of a table. */
  | { readonly what: 'name' }
  /** Another part of the page, where more is to be seen: the question stays. */
  | { readonly what: 'view'; readonly view: 'mapping' | 'rejects' }
