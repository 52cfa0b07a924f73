import { z } from 'zod'
import type { Fault } from './faults/fault.ts'
import type { Quota } from './faults/quota.ts'
import type { Storage } from './store/schema.ts'

/** What a new group type's created_at is: the time of its first event, of its arrival, or null. */
export type GroupCreatedAt = 'event' | 'arrival' | 'null'

type FilterNode =
  | { readonly type: 'and' | 'or'; readonly children: readonly FilterNode[] }
  | { readonly type: 'not'; readonly child: FilterNode }
  | z.infer<typeof condition>

const condition = z.strictObject({
  type: z.literal('condition'),
  field: z.enum(['event_name', 'distinct_id']),
  operator: z.enum(['exact', 'contains']),
  value: z.string().min(1),
})
const node: z.ZodType<FilterNode> = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['and', 'or']), children: z.array(node) }),
    z.strictObject({ type: z.literal('not'), child: node }),
    condition,
  ]),
)

export const eventFilter = z.strictObject({
  mode: z.enum(['disabled', 'dry_run', 'live']),
  /** In the service's words. */
  filter_tree: node.nullable(),
})

const texts = z.array(z.string()).readonly().exactOptional()

/** What a project does to events after it acknowledged them, in the words of the project API. Default: nothing. */
export const eventRules = z.strictObject({
  filter: eventFilter.exactOptional(),
  /** What a restriction names has to be so; without names it is about every event. */
  restrictions: z
    .array(
      z.strictObject({
        restriction_type: z.enum([
          'drop_event_from_ingestion',
          'redirect_to_dlq',
          'skip_person_processing',
          'force_overflow_from_ingestion',
        ]),
        distinct_ids: texts,
        session_ids: texts,
        event_names: texts,
        event_uuids: texts,
        /** Default: `analytics`. */
        pipelines: texts,
      }),
    )
    .exactOptional(),
  /** Of each event whose schema is enforced, the required properties with their types. */
  enforced: z
    .record(z.string(), z.record(z.string(), z.enum(['String', 'Numeric', 'Boolean', 'DateTime', 'Object'])))
    .exactOptional(),
  /** Run where their template is one that the sandbox knows, and only listed where it isn't. */
  transformations: z
    .array(
      z.strictObject({
        name: z.string(),
        enabled: z.boolean().exactOptional(),
        template: z.strictObject({ id: z.string() }).exactOptional(),
        /** Of the events only their names are read; null is every event. */
        filters: z
          .looseObject({ events: z.array(z.looseObject({ id: z.string().nullable() })).exactOptional() })
          .exactOptional(),
        inputs: z.record(z.string(), z.looseObject({ value: z.unknown() })).exactOptional(),
      }),
    )
    .exactOptional(),
})
export type EventRules = z.infer<typeof eventRules>

/** What a project's settings do to its events. */
export interface ProjectRules {
  /** Drops events that are older than this number of days when they arrive. 0, the default, drops no event. */
  readonly dropEventsOlderThan: number
  /** Drops events whose properties, with all that the service adds to them, have more bytes. 0, the default, drops none. */
  readonly maxMessageBytes: number
  /** What a new group type's created_at is: the time of the event that makes it (`event`, the default), as newest servers
   * have it; that of its arrival (`arrival`), as older ones; or `null`, as the oldest. */
  readonly groupCreatedAt: GroupCreatedAt
  /** What the project drops or changes after it acknowledged it. Default: nothing. */
  readonly eventRules: EventRules
}

export const PROJECT_RULES: ProjectRules = {
  dropEventsOlderThan: 0,
  maxMessageBytes: 0,
  groupCreatedAt: 'event',
  eventRules: {},
}

/** A personal API key of the sandbox and what it may do (`*` is everything). */
export interface PersonalKey {
  readonly key: string
  readonly scopes: readonly string[]
  /** The only projects that it may read. Default: all that its user sees. */
  readonly projects?: readonly number[]
  /** The only organizations of which it may read something. Default: all of its user. */
  readonly organizations?: readonly string[]
}

/** How servers of different versions answer. The defaults are those of a current server. */
export interface Dialect {
  /** Path forms of groups_types: /api/projects/:id/… (`project`), /api/:id/… (`bare`). Default both. */
  readonly groupsTypes?: readonly ('project' | 'bare')[]
  /** Capture V1: there (`current`), from before it (`absent`: 404), or there and not set up, as on a self-hosted server
   * (`unconfigured`: 503 to each valid request). Default `current`. */
  readonly captureV1?: 'current' | 'absent' | 'unconfigured'
  /** Downloads: there (`current`), an older server without them (`absent`: 404), or a self-hosted one without storage
   * (`unconfigured`: 500). Default `current`. */
  readonly downloads?: 'current' | 'absent' | 'unconfigured'
  /** Requests for deletion: allowed (`current`), a project without the flag (`refused`: 403), or an older server (`absent`:
   * 404). Default `current`. */
  readonly dataDeletion?: 'current' | 'refused' | 'absent'
  /** Ingestion warnings by the project API: older servers have none (`absent`: 404). Default `current`. */
  readonly ingestionWarnings?: 'current' | 'absent'
  /** Quotas by the project API: self-hosted servers have none (`absent`: 404). Default `current`. */
  readonly quotaLimits?: 'current' | 'absent'
  /** Whether a personal key is told what it may do: older servers do not (`absent`: 404). Default `current`. */
  readonly currentKey?: 'current' | 'absent'
}

/** Requests the project API takes before it answers 429 `throttled`. */
export interface Throttle {
  readonly perMinute: number
  readonly perHour?: number
}

export interface SandboxOptions extends Partial<ProjectRules> {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string
  /** Port to listen on; 0 takes a free one. Default 0. */
  readonly port?: number
  /** Folder of the store, made when missing. Default: a temporary folder, removed by `close()`. */
  readonly data?: string
  /** The project key whose events are kept; events of any other well-formed key vanish. Default: made up. */
  readonly projectKey?: string
  /** The personal key that may do everything. Default: made up. */
  readonly personalKey?: string
  /** Limits that key to these projects. Default: none. */
  readonly keyProjects?: readonly number[]
  /** Limits it to these organizations. Default: none. */
  readonly keyOrganizations?: readonly string[]
  /** More personal keys, for instance one without `group:read`. */
  readonly personalKeys?: readonly PersonalKey[]
  /** Default 1. */
  readonly projectId?: number
  /** How events are stored: `json`, as from 30 November 2026 (default), or `table`, as before and on servers that were not
   * changed. */
  readonly storage?: Storage
  /** The project's time zone. Queries see times in it unless they convert them. Default UTC. */
  readonly timeZone?: string
  /** Enforces a retention of so many months: no query or download has an event that is older. Undefined, the default: none. */
  readonly retentionMonths?: number
  /** How many milliseconds after its arrival a duplicate is merged; queries over HTTP see it until then. Default 60,000. */
  readonly mergeAfterMs?: number
  /** For how many milliseconds the list of group types is the one of the first request. Default 0. */
  readonly groupTypesCacheMs?: number
  /** How many events a minute of one distinct_id keep their person and groups. 0, the default, is no limit. */
  readonly maxEventsPerId?: number
  /** How many events each meter takes before it is over its quota. Default: no limit. */
  readonly quota?: Quota
  /** Faults to commit, as specs (`429:0.1`, see FAULT_HELP) or as values. */
  readonly faults?: readonly (string | Fault)[]
  /** Seed of the faults' dice. Default 1. */
  readonly seed?: number
  /** Milliseconds since the epoch; the clock of defaulted and clamped timestamps. Default Date.now. */
  readonly now?: () => number
  readonly dialect?: Dialect
  /** Default: no throttling. */
  readonly throttle?: Throttle
}
