// The changes of a mapping that the studio's page can make without its text.

import type { CellType, Decimal, Minus } from '../mapping/index.ts'

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

export type EditableField =
  | 'event'
  | 'distinct_id'
  | 'timestamp'
  | 'uuid'
  | 'anonymous_id'
  | 'session_id'
  | 'session_start'

/** What the cells of a column are; `dropped` for one that is left out. */
export interface ColumnRule {
  readonly type: 'text' | 'dropped' | CellType
  readonly decimal?: Decimal | undefined
  readonly minus?: Minus | undefined
  readonly currency?: string | undefined
  readonly formats?: readonly string[] | undefined
  readonly separator?: string | undefined
}
