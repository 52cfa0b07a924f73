import type { TracedMember } from '../mapping/record-tracer.ts'

// What became of one record, as plain data: it is printed, and sent to a browser.

/** The origin of what every event has. */
export const ON_EVERY = 'posthaul, on every event'

/** Two ids that are one person's: `$identify` events are made of such links when all records are read. */
export interface LinkTrace {
  readonly anonymousId: string
  readonly userId: string
}

/** A member of the record, and what became of it. */
export interface MemberTrace extends TracedMember {
  /** The cell of a table that the value is, by its column's type: JSON of the text that was read. Null for other members. */
  readonly cell: string | null
}

/** A value of the event, and what it is from. */
export interface PlaceTrace {
  /** `uuid`, `event`, `distinct_id`, `timestamp`, `properties.plan`, `properties.$set.email`. */
  readonly place: string
  /** JSON as the event has it. */
  readonly value: string
  /** Paths of the record's members. */
  readonly from: readonly string[]
  /** Who added it, where no member did: `mapping file: properties.set`. */
  readonly origin: string | null
}

/** What an event's uuid was made from: the record's own uuid, another id of its own (version 5), or the whole record. */
export type UuidSource = 'uuid' | 'id' | 'content'

export interface EventTrace {
  /** As it is written, without a line end. */
  readonly line: string
  readonly uuid: string
  readonly uuidFrom: UuidSource
  /** Paths of the members that the uuid is or was made from. */
  readonly uuidMembers: readonly string[]
  /** How many records before it are the same, where the uuid was made from the whole record: it is told apart by them. */
  readonly twin: number
  readonly event: string
  readonly distinctId: string
  /** RFC 3339, UTC. */
  readonly timestamp: string
  readonly link: LinkTrace | null
  /** The groups that the event belongs to. */
  readonly groups: ReadonlyArray<{ readonly type: string; readonly key: string }>
  /** What it says of groups: changes become `$groupidentify` events when all records are read. `json` is an object. */
  readonly groupStates: ReadonlyArray<{ readonly type: string; readonly key: string; readonly json: string }>
  /** True where another record with the same uuid, which tells the event better, is kept in its place. */
  readonly givesWay: boolean
  readonly places: readonly PlaceTrace[]
}

/** What was noticed on the way. */
export interface TraceNotes {
  /** Changes that the service forces, by kind, with how often: `{"id_trimmed": 1}`. */
  readonly mends: Readonly<Record<string, number>>
  /** What a rule found and could not use: `groups.company: properties.org is an object`. */
  readonly unusable: readonly string[]
  /** Properties with an integer over 2^53 or a long decimal, which the service rounds. */
  readonly bigIntegers: readonly string[]
  /** Names that an object of the record has twice. */
  readonly duplicateKeys: number
}

/** What one record, or one child of a record that holds several, became. */
export interface PartTrace {
  /** The child's place in the record, from 1; null for a record that is one event. */
  readonly child: number | null
  readonly outcome: 'event' | 'rejected' | 'filtered'
  /** One word in snake_case: why it is no event. */
  readonly reason: string | null
  /** The same in a sentence, for a reject. */
  readonly message: string | null
  /** The event's name in the source; null when the record was given up before it was known. */
  readonly source: string | null
  readonly distinctId: string | null
  /** What a record that is left out shows all the same; an event has its own. */
  readonly link: LinkTrace | null
  /** All members, in the record's order, with those of rows joined to it; without fates where there is no event. */
  readonly members: readonly MemberTrace[]
  readonly event: EventTrace | null
  readonly notes: TraceNotes
}

export interface Trace {
  /** The record as it was read; of a row of a table, with the text of its cells. */
  readonly record: string
  /** One, except where the preset makes several events of a record. None when a record of several holds no child. */
  readonly parts: readonly PartTrace[]
  /** Set when the record as a whole became nothing: one that holds no child is filtered. */
  readonly whole: {
    readonly outcome: 'rejected' | 'filtered'
    readonly reason: string
    readonly message: string | null
  } | null
}
