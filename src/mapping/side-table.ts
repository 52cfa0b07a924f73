import type { Mapping } from './mapping.ts'

/**
 * A table whose rows a record is read together with: the row that a record's key leads to becomes a member of the
 * record, before the mapper sees it. So the preset's table and functions read it, and a mapping file can name its columns
 * (`groups: {account: joined_user.account_id}`), as they do with the record's own members.
 *
 * Tables come from `--join NAME=PATH`, from inputs whose `InputFile.table` is the name, and from those in its `folder`.
 */
export interface SideTable {
  readonly name: string
  /** What it is good for, for help and for the summary: `the ids by which users are known`. */
  readonly help: string
  /**
   * Column of the table -> dotted paths in the record. The first path that holds a value is looked up. Several columns
   * are one key together. A column that has two names in the vendor's files is `id|event_id`. A path may lead into the
   * row of a table further up the list: one hop after the other.
   */
  readonly on: Readonly<Record<string, readonly string[]>>
  /** The record's member that the row becomes. A record that has such a member already keeps its own. */
  readonly as: string
  /** Of rows that share a key: which one stands, or how they fold into one. */
  readonly several: 'first' | 'last' | Fold
  /** True when nearly every record must have a row, so that one without is worth a warning. */
  readonly expected: boolean
  /** A folder whose files are all of the table, each with a name of its own: `matchedEvents/Page`. */
  readonly folder?: string
  /** True when its rows are records besides. Files of other side tables are no event inputs. */
  readonly alsoRecords?: boolean
  /** Set for a table that is made of the records themselves: the members that its rows have, besides the key. */
  readonly ofRecords?: readonly string[]
  /** The table without which this one serves nothing: where that is not given, this one is not made. */
  readonly needs?: string
  /** True for a table that few users have: where it is not given, nothing is said of it. */
  readonly rare?: boolean
}

/** Adds a row to what those before it made; undefined before the first. All are JSON text; a fold has to be pure. */
export type Fold = (held: string | undefined, row: string) => string

/** The paths of tables that stand on the command line are these. */
export function joinable(tables: readonly SideTable[] = []): readonly SideTable[] {
  return tables.filter(({ ofRecords }) => ofRecords === undefined)
}

/** Parts of a key as one text. Ids that one file has as numbers and another as text meet: `1`, `1.0` and `"1"`. */
export function keyText(parts: readonly string[]): string {
  const plain = parts.map((part) => part.replace(/^(-?\d+)\.0+$/, '$1'))
  return plain.length === 1 ? plain[0]! : JSON.stringify(plain)
}

/**
 * The member that holds the name of a record's table (`InputFile.table`): a path of a preset's `fields` and of a
 * mapping file like any other. Readers write it into the records of a job that has a rule for it, and of no other: so
 * a reject keeps it, and a record that runs again from a rejects file has it still.
 */
export const TABLE_MEMBER = '$table'

/** True when a rule of the preset or of the mapping file reads the table's name. */
export function readsTable(
  { fields }: { readonly fields: Readonly<Record<string, unknown>> },
  mapping: Mapping,
): boolean {
  const { where } = mapping.filter
  const mapped = [
    ...Object.values(mapping.fields).flat(),
    ...Object.values(mapping.groups),
    ...Object.keys(where),
  ]
  return Object.hasOwn(fields, TABLE_MEMBER) || mapped.includes(TABLE_MEMBER)
}
