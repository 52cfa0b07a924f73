import type { CellType, Decimal, MappedField, Minus } from '../mapping/index.ts'
import type { PageQuery } from './model-data.ts'

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
  /** Another part of the page, where more is to be seen: the question stays. */
  | { readonly what: 'view'; readonly view: 'mapping' | 'rejects' }

export interface ColumnQuery extends PageQuery {
  readonly yaml: string
  /** In the column's name; upper and lower case are the same. */
  readonly text?: string
}

export interface ColumnTable {
  readonly rows: readonly ColumnRow[]
  /** All that the query fits, and all that there are. */
  readonly total: number
  readonly all: number
}

/** A column of a table, as the mapping reads it. */
export interface ColumnRow {
  readonly column: string
  /** The path by which `fields` names it. */
  readonly path: string
  readonly rule: ColumnRule
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

// The changes of a mapping that the studio's page can make without its text.

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
  | { readonly kind: 'set_preset'; readonly preset: string }
  | SetupEdit
  /** Makes these changes, and takes the question out of the text. */
  | { readonly kind: 'settle'; readonly question: string; readonly edits: readonly Edit[] }

/** A change of where things are and how they are read. A column of a table can be given for its path. */
export type SetupEdit =
  /** Takes a field of the event from a path in the record; null gives it back to the preset. */
  | { readonly kind: 'set_field'; readonly field: EditableField; readonly path: string | null }
  /** Where the paths before it hold no value. */
  | { readonly kind: 'add_field'; readonly field: EditableField; readonly path: string }
  | { readonly kind: 'remove_field'; readonly field: EditableField; readonly path: string }
  /** Takes it before the one that is before it now. */
  | { readonly kind: 'raise_field'; readonly field: EditableField; readonly path: string }
  /** In place of `timestamp`. `format`: of both with a blank between; null leaves the forms as they are. */
  | {
      readonly kind: 'set_day_and_time'
      readonly day: string
      readonly time: string
      readonly format: string | null
    }
  | { readonly kind: 'set_group'; readonly type: string; readonly path: string | null }
  | { readonly kind: 'set_timezone'; readonly zone: string | null }
  /** An empty list leaves the usual forms alone. */
  | { readonly kind: 'set_formats'; readonly formats: readonly string[] }
  | { readonly kind: 'set_big_integers'; readonly as: 'string' | null }
  /** The list whose elements become events, as a path; null makes one event of a record. */
  | { readonly kind: 'set_explode'; readonly path: string | null }
  /** Without `to` the column keeps its place; null gives it back its own name. */
  | {
      readonly kind: 'set_column'
      readonly column: string
      readonly rule: ColumnRule
      readonly to?: string | null
    }

export type EditableField = MappedField

/** What the cells of a column are; `dropped` for one that is left out. */
export interface ColumnRule {
  readonly type: 'text' | 'dropped' | CellType
  readonly decimal?: Decimal | undefined
  readonly minus?: Minus | undefined
  readonly currency?: string | undefined
  readonly formats?: readonly string[] | undefined
  readonly separator?: string | undefined
}
