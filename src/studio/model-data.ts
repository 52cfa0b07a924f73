import type { Finding } from '../checks/finding.ts'
import type { Mending } from '../checks/words/rejects.ts'

// What a mapping makes of the sample, as the studio's page shows it. Counts are of the sample.

/** What a mapping makes of the sample. */
export interface StudioModel {
  /** Changes with the mapping. Records are shown by the latest mapping that had no fault. */
  readonly revision: string
  readonly preset: string
  readonly counts: StudioCounts
  /** Names of events in the source. Their rows are asked for by `EventQuery`. */
  readonly names: {
    readonly total: number
    readonly unmapped: number
    /** A record of the commonest; null where the sample is empty. */
    readonly record: number | null
  }
  /** Paths of members. Their rows are asked for by `PropertyQuery`. */
  readonly members: number
  /** Commonest first. */
  readonly rejects: readonly ReasonRow[]
  /** Records left out on purpose, by the rule that did. */
  readonly filtered: readonly ReasonRow[]
  /** Events by UTC day, oldest first: `2024-03-01`. */
  readonly days: ReadonlyArray<{ readonly day: string; readonly count: number }>
  /** What the service will bill, drop or change; the worst first. */
  readonly forecast: readonly ForecastRow[]
  /** Rules of the mapping file that matched nothing in the sample: `events.rename: Sign Up`. */
  readonly idleRules: readonly string[]
}

/** made = events + rejected + filtered; a record of several events is one record and made several times. */
interface StudioCounts {
  readonly records: number
  /** What could become an event: records, or what records of several events are cut into. */
  readonly made: number
  readonly events: number
  readonly rejected: number
  readonly filtered: number
}

export type EventFate =
  /** Has its name from the preset or from the mapping file. */
  | 'mapped'
  /** Is sent under the name that it has in the source: no rule knows it. */
  | 'unmapped'
  /** Is left out by a rule. */
  | 'dropped'
  /** Every one of its records is rejected. */
  | 'rejected'

/** All events of one name in the source. */
export interface EventRow {
  /** In the source; null for records without a name. An event can't be edited by null. */
  readonly source: string | null
  readonly count: number
  readonly fate: EventFate
  /** What it is called in the service, commonest first; empty when it is not sent. */
  readonly names: readonly string[]
  /** What decides its fate: `events.rename`, `preset mixpanel`, `events.drop`; null for `unmapped`. */
  readonly rule: string | null
  readonly sent: number
  readonly rejected: number
  readonly filtered: number
  /** The number of a record that shows it. */
  readonly record: number
}

export type PropertyFate =
  | 'kept'
  | 'renamed'
  /** Into the person's properties. */
  | 'person'
  /** Made into the event's name, id, time, groups or another property. */
  | 'used'
  /** Hashed, or mended for the service. */
  | 'changed'
  | 'left out'
  /** The record became no event. */
  | 'not sent'

/** A member of the source's records, by its path. */
export interface PropertyRow {
  /** In the record: `properties.plan`. */
  readonly path: string
  /** The same as a mapping file writes it, `"user.id"` for one name with a dot; null where two members are called so. */
  readonly says: string | null
  /** Records that have it with a value. Of all records: `records`. */
  readonly filled: number
  readonly records: number
  /** The one that most records have. */
  readonly fate: PropertyFate
  /** In the words of `transform`: `renamed: $browser` -> records. A member can have several in one record. */
  readonly fates: Readonly<Record<string, number>>
  /** Names in the service that it is sent to: `$browser`, `$set.email`, `distinct_id`. */
  readonly to: readonly string[]
  /** The name by which `properties.rename` and `properties.drop` know it; null where they can't change it. */
  readonly editable: string | null
  /** JSON of a value, shortened; null where no record has one. */
  readonly example: string | null
}

/** Records with one outcome and one reason. */
export interface ReasonRow {
  /** In snake_case, as in the summary of a transform. */
  readonly reason: string
  readonly count: number
  /** What is wrong, of the first record. */
  readonly message: string
  /** What mends rejected records; undefined for those that a rule leaves out. */
  readonly mending?: Mending
  readonly examples: ReadonlyArray<{ readonly record: number; readonly message: string }>
}

/** Something that the service or a transform will do to some events. */
export interface ForecastRow extends Finding {
  readonly effect: 'dropped' | 'changed' | 'billed' | 'note'
  readonly count: number
  /** The number of a record that shows it. */
  readonly record: number | null
}

// The parts of the studio's tables that its page asks for.

/** Some rows of a table, and how many there are: searches and counts are of all rows, not of those that are shown. */
export interface TablePage<Row, Fate extends string> {
  readonly rows: readonly Row[]
  /** All that the query fits. */
  readonly total: number
  /** All that there are. */
  readonly all: number
  /** All, by what becomes of them. */
  readonly fates: Readonly<Partial<Record<Fate, number>>>
}

export type EventTablePage = TablePage<EventRow, EventFate>

export interface PropertyTable extends TablePage<PropertyRow, PropertyFate> {
  /** How often a member is met that is not told apart, because there are too many. */
  readonly others: number
}
