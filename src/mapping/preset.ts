import { PosthaulError } from '../errors.ts'
import type { Id } from '../record/id.ts'
import type { Kind } from '../record/tape.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import type { Mapping } from './mapping.ts'
import type { OwnedSession, Session } from './session.ts'
import type { SideTable } from './side-table.ts'

/**
 * Where a value of the source record goes:
 *
 *     '$current_url'   a property of that name
 *     'set:email'      a person property, in $set
 *     'once:$initial'  a person property that does not overwrite, in $set_once
 *     '@time'          a slot: kept for the preset's functions, sent nowhere
 *     '*'              its own name, for patterns that end in '*'; with a prefix too: 'set:*', 'context_page_*'
 *     []               nowhere: dropped on purpose
 *
 * When two paths give the same property, the one listed first in the table wins. The other value is kept as
 * `$<vendor>_<name>` when it has no name from the table.
 */
export type Target = string | readonly string[]

/**
 * What a preset's functions may ask of the record under way. Slots are those named by '@' targets. A value of a kind
 * that the question can't use is counted for the user, except null, '' and [], which say nothing.
 */
export interface RecordView {
  /** A string decoded, a number or boolean as written; undefined when absent, null, '' or a container. */
  text(slot: string): string | undefined
  /** The same; of an array its first element. That there are more is counted. */
  first(slot: string): string | undefined
  /** UUID version 5 of the slot's text in a namespace; undefined where `text` is. */
  uuidV5(namespace: string, slot: string): string | undefined
  /** What kind of value it is (see record/tape.ts); undefined when the slot is absent. */
  kind(slot: string): Kind | undefined
  /** The value's JSON as written, byte for byte; undefined when the slot is absent. */
  json(slot: string): string | undefined
  /** The JSON of an object slot as written; undefined when it is no object. */
  object(slot: string): string | undefined
  /** The members of an object slot in order: [decoded name, JSON as written]; none when it is no object. */
  entries(slot: string): ReadonlyArray<readonly [string, string]>
  /** The elements of an array slot in order, as written; none when it is no array. `members` of record/json-values.ts cuts them. */
  elements(slot: string): readonly string[]
}

/** What the presets of posthaul may ask besides: of an id, which most functions only hand on, without making it a string. */
export interface IdView extends RecordView {
  /** What `text` tells. */
  id(slot: string): Id | undefined
}

/**
 * The event being built, after the tables have been applied. Values are JSON text (`text` quotes for you). A later
 * write of a name replaces the earlier one; null, '' and the preset's `empty` words are left out here as well.
 */
export interface Draft {
  /** The event's name, already renamed by the `events` table. */
  event: string
  readonly distinctId: string
  /** Properties go by the name that the preset gives them: what the user renames is found by it, what they drop is not there. */
  has(property: string): boolean
  /** A property's value as written so far. */
  json(property: string): string | undefined
  /** `elsewhere`: the property under which you keep the value that had the name so far. */
  property(name: string, json: string, elsewhere?: string): void
  /** Undefined puts nothing. */
  text(name: string, value: string | undefined): void
  /** Puts the value of a slot under a property, byte for byte; `elsewhere` as in `property`. */
  copy(name: string, slot: string, elsewhere?: string): void
  set(name: string, json: string): void
  setOnce(name: string, json: string): void
  /** Makes person properties of all properties so far: for a record that describes a user, column by column. */
  describePerson(): void
  /** Gives the event its `$session_id`, where the service can take one; see `session.ts`. The vendor's id is yours to keep. */
  session(session: Session): void
  /** Makes the event a member of a group: `$groups[type] = key`; the first key of a type wins. */
  group(type: string, key: string): void
  /** The group's properties as of this event (JSON text of an object). A change generates a `$groupidentify`. */
  groupProperties(type: string, key: string, json: string): void
  /** Says that a member of the record goes nowhere: the user is told its name. */
  leaveOut(member: string): void
  /** Says what the preset found and could not use: `groups.company is an object`. The user is told. */
  unusable(what: string): void
}

/** A piece of a slot's value, such as an element of a list of names and values. */
export interface Part {
  /** Below the slot's member: `plan.string_value`. */
  readonly path: string
  readonly json: string
  /** Where the preset's functions put it: the name of a property, or `set:` and that of the person's; undefined for nowhere. */
  readonly to: string | undefined
  /** Why it goes nowhere: another part of the name counts. */
  readonly outranked?: boolean
}

/** What the presets of posthaul may do besides. */
export interface IdDraft extends Draft {
  readonly id: Id
  /** Accounts for parts of a slot's value by their names. To be told before a part is put anywhere. */
  readonly parts: { note(slot: string, part: Part): void }
  session(session: OwnedSession): void
}

/** Thrown by a preset's function when a record can't become an event. `reason` is a snake_case word to count by. */
export class Rejection extends Error {
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Thrown by `perform` when a record is left out on purpose: it counts as filtered, under this reason. */
export class Filtered extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/**
 * How one record, the parent, becomes several events. Each element of an array in it, a child, makes a record of its own:
 * the parent with the child in the array's place, and `(child)` at its end, which says where the child was. So
 * `{"visit":7,"actions":[{"url":"/a"},{"url":"/b"}]}` becomes
 *
 *     {"visit":7,"actions":{"url":"/a"},"(child)":{"number":1}}
 *     {"visit":7,"actions":{"url":"/b"},"(child)":{"number":2}}
 *
 * Tables and functions see these, and a reject holds one: it runs again without its siblings. A record without the array
 * is mapped as it is.
 */
export interface Explode {
  /** Name of the member that holds the array, at the record's top level. */
  readonly member: string
  /** Names of members at the top level. A record that has one of them is mapped as it is, whatever else it has. */
  readonly unless?: readonly string[]
  /**
   * What a child must know of its siblings, given all of them as JSON: members for its `(child)`. Without it the
   * children are not decoded.
   */
  siblings?(children: readonly string[]): (index: number) => Readonly<Record<string, unknown>>
}

/** Choices of the user that a preset's functions may consult. */
export interface PresetOptions {
  /** IANA zone of the source's wall clock, or undefined for UTC. */
  readonly sourceTimezone: string | undefined
  /** The type of groups whose records name none. */
  readonly groupType: string
  /** The names of group types by their index in the source. */
  readonly groupTypes: Readonly<Record<string, string>>
  /** Address of the user's own server of the vendor, without a slash at its end; undefined when none was named. */
  readonly baseUrl: string | undefined
  /** Extra switches by name (`--keep-session-events` …), as listed in the preset's `switches`. */
  readonly switches: ReadonlySet<string>
}

type UuidFunction = (record: RecordView, options: PresetOptions) => string | undefined

/** A record's own id, where it is one value. */
export interface UuidRule {
  readonly slot: string
  /** The uuid is the version 5 of the slot's text in this namespace. Without it the text is a canonical UUID itself. */
  readonly namespace?: string
  /** For records whose slot tells none. */
  readonly otherwise?: UuidFunction
}

/** The mapping of one vendor: tables first, small named functions for what a table can't say. All pure. */
export interface Preset {
  /** Written to every event as `analytics_source`. */
  readonly vendor: string
  /** True for presets that ask for `baseUrl`. */
  readonly readsBaseUrl?: true
  /** True for presets that ask for `groupTypes`. */
  readonly readsGroupTypes?: true
  /** The type of groups whose records name none, unless the user chooses another; for presets that ask for `groupType`. */
  readonly groupType?: string
  /** Raise it when the preset gives some record another event: see `rulesOf`. */
  readonly rules: number
  /**
   * Brings a record into the form that the tables are for: JSON text of an object to JSON text of an object. Paths, here
   * and in a mapping file, and the members that a summary names are those of the result.
   */
  readonly reshape?: (json: string) => string
  /** True where another record may tell the same event better: of the two, that one is kept. */
  readonly givesWay?: (record: RecordView) => boolean
  /**
   * Dotted path in the record -> target(s). A last segment '*' means every other member of that object, and
   * 'initial_*' the members whose name begins so. The longest match wins. A path may have a slot and sub-paths at once.
   * The path '$table' is the name of the record's table: see side-table.ts.
   */
  readonly fields: Readonly<Record<string, Target>>
  /**
   * Dotted paths whose value a function reads as an object or array, where the table has no path below them. Like every
   * member with a path below it, such a value may be text that holds JSON (warehouse rows, CSV, Parquet): it is read as
   * what it holds, by the table and by the functions. Text that holds no object or array stays text.
   */
  readonly unpack?: readonly string[]
  /** How one record becomes several events, for a vendor whose records are visits, batches or sessions. */
  readonly explode?: Explode
  /** True where the user has a list taken apart: what stands beside it is of no event, see explode.ts. */
  readonly leavesEnvelopeOut?: boolean
  /**
   * Where a field is unless the mapping file says otherwise, for a preset without a form of its own. A member that is
   * the only path of such a field, here or in the mapping file, is that field, and no property besides.
   */
  readonly takes?: Mapping['fields']
  /**
   * Slots that hold ids of people. One whose value stands for nobody (record/nobody.ts) is as if it were absent, so that
   * the functions take the next in their order; where none of them is left, a word that isn't a null is put back.
   */
  readonly ids?: readonly string[]
  /**
   * How the vendor's records are told from others, for a user who names no preset: each list has dotted paths that
   * together are this vendor's. Of two presets the one with the longer list fits better.
   */
  readonly recognises: ReadonlyArray<readonly string[]>
  /** Tables that records are read together with, in the order in which they are looked up. */
  readonly sideTables?: readonly SideTable[]
  /**
   * Source event name -> the service's name; others keep theirs. One that becomes a `$set` and sets nothing is left out;
   * a link that it shows stays.
   */
  readonly events: Readonly<Record<string, string>>
  /**
   * Values left out besides null and '' (the vendor's words for "nothing"). Undefined for records in the service's
   * own form: then even null and '' stay, and nothing is derived from URLs.
   */
  readonly empty: readonly string[] | undefined
  /** Switch name -> help text, for behaviours that a user must ask for. */
  readonly switches?: Readonly<Record<string, string>>
  /** The source's event name, before `events` renames it. '' or undefined rejects the record. */
  eventName(record: RecordView, options: PresetOptions): string | undefined
  /**
   * Where the record's own id is, or a function that finds it: 36 characters, lower case; undefined when the record has
   * none (one is made from its content).
   */
  readonly uuid: UuidRule | UuidFunction
  distinctId(record: IdView, options: PresetOptions): Id | string | undefined
  /** The anonymous id to link to distinctId by a generated `$identify`; undefined or equal to it for none. */
  anonymousId(record: IdView, distinctId: Id): Id | string | undefined
  /** Whom the anonymous id is linked to where it is the event's own distinct_id; undefined or equal to it for nobody. */
  userId?(record: IdView): Id | string | undefined
  /** Microseconds since the epoch. Throws Rejection or RangeError, never guesses. */
  timestamp(record: RecordView, options: PresetOptions): number
  /**
   * Microseconds by which a clock known to be UTC was ahead of the record's time, when the record tells. It shows that
   * a source writes its own wall clock. Called for the first records only.
   */
  clockGap?(record: RecordView, instant: number): number | undefined
  /** What the tables can't say: renames that depend on other fields, groups, whole records left out. */
  perform?(record: IdView, draft: IdDraft, options: PresetOptions): void
}

/**
 * Version of the rules that all presets share. Raise it when they give some record another event name, uuid, distinct_id
 * or time than before, or none: `test/mapping/rules-version.test.ts` tells. A preset has a version of its own.
 */
const ENGINE = 3

/** The rules that make a vendor's events, such as `mixpanel 1.1`. Two versions make two sets of events of one source. */
export function rulesOf({ vendor, rules }: Preset): string {
  return `${vendor} ${ENGINE}.${rules}`
}

/** The id that all imports of a preset share, unless the user names another: the same in every run and part. */
export function importIdOf({ vendor }: Preset): string {
  return uuidV5(POSTHAUL_NAMESPACE, vendor)
}

/** What a preset's functions may ask of the user's choices. */
export function optionsFor(
  { groupType = '' }: Preset,
  mapping: Mapping,
  switches: ReadonlySet<string>,
): PresetOptions {
  return {
    sourceTimezone: mapping.sourceTimezone,
    groupType: mapping.groupType ?? groupType,
    groupTypes: mapping.groupTypes ?? {},
    baseUrl: mapping.baseUrl,
    switches,
  }
}

/** Code `config` for a mapping file with an address or names that the preset `name` makes nothing of. */
export function assertKeysRead({ baseUrl, groupTypes }: Mapping, name: string, preset: Preset): void {
  const unread = (key: string, use: string) =>
    new PosthaulError(`the preset ${name} makes nothing of ${key}`, {
      code: 'config',
      hint: `take ${key} out of the mapping file; ${use}`,
    })
  if (baseUrl !== undefined && !preset.readsBaseUrl)
    throw unread('base_url', 'ids of matomo are made with it')
  if (groupTypes !== undefined && !preset.readsGroupTypes)
    throw unread('group_types', 'posthog reads it; groups says where keys of groups are')
}

/** The group type that a user asked for. Code `usage` where the preset `name` has no use for one. */
export function groupTypeOf(asked: string | undefined, name: string, preset: Preset): string | undefined {
  if (asked === undefined || preset.groupType !== undefined) return asked
  throw new PosthaulError(`the preset ${name} reads no records of groups without a type`, {
    code: 'usage',
    hint: 'leave --group-type (group_type in a mapping file) out; groups in a mapping file says where keys are',
  })
}

/** The switches that a user asked for by name. Code `usage` for one that the preset `name` does not have. */
export function switchesOf(
  asked: readonly string[],
  name: string,
  { switches = {} }: Preset,
): ReadonlySet<string> {
  const unknown = asked.find((one) => !Object.hasOwn(switches, one))
  if (unknown === undefined) return new Set(asked)
  const known = Object.entries(switches).map(([key, about]) => `${key} (${about})`)
  throw new PosthaulError(`the preset ${name} has no switch "${unknown}"`, {
    code: 'usage',
    hint: known.length > 0 ? `it has: ${known.join('; ')}` : 'it has none',
  })
}

/** True for what names a file that holds a preset: `./acme.mjs`. Names of presets have neither dots nor slashes. */
export function isPresetFile(preset: string): boolean {
  return /[/\\]|\.[cm]?js$/.test(preset)
}
