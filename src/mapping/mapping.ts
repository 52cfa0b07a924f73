import type { ColumnMapping } from './columns.ts'

/** What the mapper applies of a mapping file. Its columns section is for the readers: see columns.ts. */
export interface Mapping {
  /** The member that holds a list of events, where a record becomes one for each; see explode.ts. */
  readonly explode?: string | undefined
  /** Names of members beside that list which each event gets as properties; all others are of the envelope, and left out. */
  readonly explodeWith?: readonly string[] | undefined
  /** Dotted source paths that choose a field; the first that holds a value wins over the preset's choice. */
  readonly fields: Readonly<Partial<Record<MappedField, readonly string[]>>>
  /** True when `fields.timestamp` are the paths of a day and of a time of day, which make the time together. */
  readonly joinsTime: boolean
  readonly events: {
    readonly rename: Readonly<Record<string, string>>
    /** By source name or by final name. */
    readonly drop: readonly string[]
    /** When given, every other event is left out. */
    readonly keep: readonly string[] | undefined
  }
  /** By final name. */
  readonly properties: {
    readonly rename: Readonly<Record<string, string>>
    readonly drop: readonly string[]
    /** Name -> JSON text, set on every event. */
    readonly set: Readonly<Record<string, string>>
  }
  /** Names of properties whose values are sent as keyed hashes; `distinct_id` for the ids. See private-values.ts. */
  readonly hash: readonly string[]
  readonly filter: {
    /** Microseconds, half open. */
    readonly from: number | undefined
    readonly to: number | undefined
    /** Dotted source path -> texts of which its value must be one; '' is for none. */
    readonly where: Readonly<Record<string, readonly string[]>>
  }
  /** Group type -> dotted source path of the key. */
  readonly groups: Readonly<Record<string, string>>
  /** By dotted source path: what text there is read as. */
  readonly types?: ColumnMapping['columns']
  readonly sourceTimezone: string | undefined
  /** Forms of `fields.timestamp`, beside the usual ones: see record/time-format.ts. */
  readonly timeFormats: readonly string[]
  /** Of groups whose records name none; the preset's own when undefined. */
  readonly groupType: string | undefined
  /** Index of a group type in the source -> its name, of groups whose records have no name. */
  readonly groupTypes: Readonly<Record<string, string>> | undefined
  /** Address of the user's own server of the vendor, without a slash at its end. */
  readonly baseUrl: string | undefined
  readonly personProperties: 'set' | 'set_once' | 'drop'
  readonly bigIntegersAsStrings: boolean
  /** Arrays that are nested deeper than the service can query become text. */
  readonly deepAsText: boolean
}

/** The fields of an event that a mapping file can name. */
export const MAPPED_FIELDS = [
  'event',
  'distinct_id',
  'timestamp',
  'uuid',
  'anonymous_id',
  'session_id',
  'session_start',
] as const
export type MappedField = (typeof MAPPED_FIELDS)[number]

/** What a transform does without a mapping file. */
export const NO_MAPPING: Mapping = {
  fields: {},
  joinsTime: false,
  events: { rename: {}, drop: [], keep: undefined },
  properties: { rename: {}, drop: [], set: {} },
  hash: [],
  filter: { from: undefined, to: undefined, where: {} },
  groups: {},
  sourceTimezone: undefined,
  timeFormats: [],
  groupType: undefined,
  groupTypes: undefined,
  baseUrl: undefined,
  personProperties: 'set',
  bigIntegersAsStrings: false,
  deepAsText: false,
}

/** What a new mapping file has in the place of a column that nothing tells. A mapping file that still has it is refused. */
export const FILL_IN = 'FILL_IN'
