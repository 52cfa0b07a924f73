import type { MappedField } from '../mapping/mapping.ts'
import type { ColumnRule, Edit } from './server/requests.ts'

// What the page needs to set a mapping up without its text: where the fields are, what is asked, what columns hold.

/** Read from the text of the mapping, also where it has a fault; lists are empty where nothing is said. */
export interface Setup {
  /** Paths that a field takes: the first with a value. */
  readonly fields: Readonly<Record<EditableField, readonly string[]>>
  /** Fields that a draft leaves to be filled in: until then the file can't be used. */
  readonly missing: readonly EditableField[]
  /** The paths of the day and of the time of day, in place of `fields.timestamp`. */
  readonly dayAndTime: readonly string[]
  readonly zone: string | null
  /** Forms of times. */
  readonly formats: readonly string[]
  readonly questions: readonly SetupQuestion[]
  /** True where the input is a table of text, whose columns can have types. */
  readonly hasColumns: boolean
  /** `people` where each row sets properties of a person, and is no event of theirs. */
  readonly rows: 'events' | 'people'
  /** Columns with another value in each row of the sample, which no field takes: each may be the id of the event. */
  readonly unique: readonly string[]
}

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

export interface ColumnTable {
  readonly rows: readonly ColumnRow[]
  /** All that the query fits, and all that there are. */
  readonly total: number
  readonly all: number
}

/** A column of a table, as the mapping reads it. */
export interface ColumnRow {
  readonly column: string
  readonly rule: ColumnRule
  /** Its cells are the person's. */
  readonly person: boolean
  /** Cells of the sample that are not empty, of so many rows. */
  readonly filled: number
  readonly records: number
  /** Cells that are not of the type, and stay text. */
  readonly unfit: number
  /** Some cells, those that don't fit first. `value` is JSON; null for a cell that is left out. */
  readonly cells: ReadonlyArray<{
    readonly text: string
    readonly value: string | null
    readonly fits: boolean
  }>
}

export type EditableField = MappedField
