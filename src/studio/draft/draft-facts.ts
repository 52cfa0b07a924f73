import type { InputFile } from '../../inputs/input-file.ts'
import type { Recognised } from '../../presets/recognise.ts'
import type { Profile } from '../profile/profiles-of.ts'
import type { Roles } from '../profile/roles.ts'
import type { FlatColumns } from './flat-columns.ts'

/** What is known of some inputs, and what a mapping file is written from. */
export interface Facts {
  readonly preset: string
  readonly recognised: Recognised | undefined
  /** What was looked at that can become an event: records, or elements of their list. */
  readonly records: number
  /** Records that were looked at. */
  readonly sampled: number
  /** The member whose elements are the events; undefined where the records are. */
  readonly list: string | undefined
  /** Where the columns of flattened events of PostHog lie in their event. */
  readonly flat?: FlatColumns | undefined
  /** Members beside the list that each event gets. */
  readonly kept: readonly string[]
  readonly profiles: readonly Profile[]
  /** The records, as JSON: those that the profiles are of. */
  readonly texts: readonly string[]
  readonly roles: Roles
  /** The time of day of the event, where `roles.timestamp` is a day joined with it. */
  readonly clock: Profile | undefined
  /** True for CSV and TSV, whose cells are text. */
  readonly isText: boolean
  /** True for CSV, TSV, Parquet and Avro. */
  readonly isTable: boolean
  /** Columns that can't be read: they have no name, or one that another has too. */
  readonly nameless: readonly string[]
  /** Columns that some file of a table lacks: `columns` can't name them. */
  readonly partial: ReadonlySet<string>
  /** The table that the files' names tell, where it could be the event's name. */
  readonly table: TableName | undefined
  /** Of rows that are sums and no events, the members that count. */
  readonly counts: readonly string[]
  /** True where a record says who somebody is, and nothing that happened. */
  readonly arePeople: boolean
  /** Of tables of such rows, whose columns go into `$set`: the names of their tables. */
  readonly people: readonly string[] | undefined
  /** The members that the preset reads, where it would lose others. */
  readonly only: readonly string[] | undefined
}

/** What is uncertain: written as the likeliest, with the evidence. */
export interface DraftQuestion {
  /** The column or member; empty for the whole. */
  readonly about: string
  readonly text: string
}

/** What a column or member was taken for. */
export interface ColumnFinding {
  readonly name: string
  readonly type: string
  /** What it is to an event, if anything: `distinct_id`, `groups.company`. */
  readonly role: string | null
  readonly filled: number
  readonly example: string
}

/** A place of an event that no member was found for. */
export type Missing = 'event' | 'distinct_id' | 'timestamp'

/** Some lines of a mapping file, and what is asked in them. */
export interface DraftLines {
  readonly lines: readonly string[]
  readonly questions: readonly DraftQuestion[]
  /** Of tables of different kinds, the file of the first. */
  readonly firstOfKinds?: string
}

export interface MappingDraft extends DraftLines {
  readonly missing: readonly Missing[]
}

/** What the names of the files tell. */
interface TableName {
  readonly name: string
  /** True for a table of people: a row is what is known of one, and nothing that happened. */
  readonly isPeople: boolean
}

const GENERIC =
  /^(?:stdin|events?|data|dataset|rows?|records?|results?|tables?|query|untitled|sheet|book|test|sample|log|logs|all|full|new|final|my.?data|raw|csv|json)[-_ ]?\d*$|^\d+$/i
const PEOPLE =
  /^(?:contacts?|customers?|users?|leads?|people|persons?|profiles?|subscribers?|members?|clients?|kontakte|kunden|nutzer|benutzer)$/i
/** Words around the name of a table that tell nothing of its rows. */
const AROUND = /^(?:export(?:s|ed)?|all|list|tables?|dump|backup|full|new|final|data|csv|public|crm|v)$|^$/i

/** The one table that all files are of. A name that any file could have says nothing, nor that of the folder around it. */
export function tableName(inputs: readonly InputFile[]): TableName | undefined {
  const tables = new Set(inputs.map(({ table }) => table))
  const [name] = tables
  if (name === undefined || tables.size > 1 || GENERIC.test(name)) return undefined
  if (!inputs.every((input) => input.name.includes(name))) return undefined
  const words = name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => !AROUND.test(word))
  return { name, isPeople: PEOPLE.test(words.at(-1) ?? '') }
}
