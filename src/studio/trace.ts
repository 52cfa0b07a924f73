import { z } from 'zod'
import { count, tally, type ValueOf } from '../result-parts.ts'

// What became of one record: it is printed as it is, and sent to a browser.

const text = z.string().nullable()
const texts = z.array(z.string())
/** Why it is no event: one word in snake_case; of a reject the same in a sentence, and what to do. */
const why = { reason: text, message: text, remedy: text }

const link = z.strictObject({ anonymous_id: z.string(), user_id: z.string() })

/** A member of the record, and what became of it: see `TracedMember`. */
const member = z.strictObject({
  path: z.string(),
  value: z.string(),
  /** The cell of a table that the value is, by its column's type: JSON of the text that was read. Null for other members. */
  cell: text,
  fates: texts,
  to: texts,
  rules: texts,
})

/** A value of the event as JSON, and what it is from. */
const place = z.strictObject({
  /** `uuid`, `event`, `distinct_id`, `timestamp`, `properties.plan`, `properties.$set.email`. */
  place: z.string(),
  value: z.string(),
  /** Paths of the record's members. */
  from: texts,
  /** Who added it, where no member did: `mapping file: properties.set`. */
  origin: text,
})

const event = z.strictObject({
  /** As it is written, without a line end. */
  line: z.string(),
  uuid: z.string(),
  /** What the uuid was made from: the record's own uuid, another id of its own (version 5), or the whole record. */
  uuid_from: z.enum(['uuid', 'id', 'content']),
  uuid_members: texts,
  /** How many records before it are the same, where the uuid was made from the whole record: it is told apart by them. */
  twin: count,
  event: z.string(),
  /** RFC 3339, UTC. */
  timestamp: z.string(),
  /** The groups that the event belongs to. */
  groups: z.array(z.strictObject({ type: z.string(), key: z.string() })),
  /** What it says of groups: changes become `$groupidentify` events when all records are read. `json` is an object. */
  group_states: z.array(z.strictObject({ type: z.string(), key: z.string(), json: z.string() })),
  /** True where another record with the same uuid, which tells the event better, is kept in its place. */
  gives_way: z.boolean(),
  places: z.array(place),
})

/** What one record, or one child of a record that holds several, became. */
export const partTrace = z.strictObject({
  /** The child's place in the record, from 1; null for a record that is one event. */
  child: count.nullable(),
  outcome: z.enum(['event', 'rejected', 'filtered']),
  ...why,
  /** The event's name in the source; null when the record was given up before it was known. */
  source_event: text,
  distinct_id: text,
  /** Two ids that are one person's, which a record that is left out may show too. */
  link: link.nullable(),
  /** All members, in the record's order, with those of rows joined to it; without fates where there is no event. */
  members: z.array(member),
  event: event.nullable(),
  /** Changes that the service forces, by kind, with how often: `{"id_trimmed": 1}`. */
  mends: tally,
  /** What a rule found and could not use: `groups.company: properties.org is an object`. */
  unusable: texts,
  /** Properties with an integer over 2^53 or a long decimal, which the service rounds. */
  big_integers: texts,
  /** Names that an object of the record has twice. */
  duplicate_keys: count,
})

/** A record that as a whole became nothing: one that holds no child is filtered. */
export const wholeTrace = z.strictObject({ outcome: z.enum(['rejected', 'filtered']), ...why })

export type PartTrace = ValueOf<typeof partTrace>
export type EventTrace = NonNullable<PartTrace['event']>
export type MemberTrace = PartTrace['members'][number]
export type PlaceTrace = EventTrace['places'][number]

export interface Trace {
  /** The record as it was read; of a row of a table, with the text of its cells. */
  readonly record: string
  /** One, except where the preset makes several events of a record. None when a record of several holds no child. */
  readonly parts: readonly PartTrace[]
  readonly whole: ValueOf<typeof wholeTrace> | null
}
