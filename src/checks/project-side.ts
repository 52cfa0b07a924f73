import type { PosthaulError } from '../errors.ts'
import type { ProjectRules } from '../service/project-rules.ts'
import type { Retention } from '../service/retention.ts'

/** A day of the project, and how many events it has there. Copies that are not merged yet count. */
export interface DayThere {
  readonly day: string
  readonly events: number
  /** Of those, the events that carry the id of this import: they were sent before. */
  readonly own: number
  /** Those of other imports. Neither: live events, and what posthaul sent by the same preset under another id. */
  readonly others: number
}

/** Where another import's events are: by day, name and what marks them. */
export interface OtherPlace {
  readonly day: string
  readonly event: string
  /** Its `$import_job_id` and its `analytics_source`; empty where it has none. */
  readonly importId: string
  readonly source: string
  readonly count: number
}

/** What the project holds of the input already. */
export interface HeldThere {
  /** Where other imports have most events; none if they have no event. */
  readonly places: readonly OtherPlace[]
  /** So many events of the input were looked for by their uuids. Found were, of those: */
  readonly asked: number
  /** … such that they merge; */
  readonly merges: number
  /** … under another time, so that they do not, or by the UTC day only; */
  readonly moved: number
  /** … under another name or person, so that they do not. */
  readonly apart: number
}

/** The project's quota of events, in this billing period. */
export interface QuotaThere {
  readonly limited: boolean
  readonly usage: number | null
  /** Null: no limit. */
  readonly limit: number | null
}

/** The project that events would go to. */
export interface ProjectSide {
  readonly id: string
  readonly name: string
  readonly isEmpty: boolean
  readonly days: readonly DayThere[]
  /** Undefined for files, whose events nobody has counted, and where the project has no event of these days. */
  readonly held?: HeldThere | undefined
  /** Undefined where it has none, and where that could not be asked. */
  readonly quota?: QuotaThere | undefined
  /** Undefined where it shows events of all days. */
  readonly retention?: Retention | undefined
  /** What drops or changes events; undefined where nobody asked. */
  readonly rules?: ProjectRules | undefined
}

/** What is known of the project, or why nobody knows. */
export interface ProjectAsked {
  readonly project?: ProjectSide | undefined
  /** Why a project that could have been asked was not, or not for all. Undefined where no personal key is set. */
  readonly unasked?: string | undefined
  /** The shortest time in which it answered, in milliseconds. */
  readonly answerMs?: number | undefined
  /** What went wrong when it was asked. */
  readonly failure?: PosthaulError
}

/** How many events of a project side's days other imports brought. */
export function othersOf({ days, held }: Pick<ProjectSide, 'days' | 'held'>): number {
  return held ? days.reduce((sum, { others }) => sum + others, 0) : 0
}

/** How many events are left of a quota; undefined where no one knows, or it has no limit. */
export function leftOf(quota: QuotaThere | undefined): number | undefined {
  if (!quota || quota.limit === null || quota.usage === null) return undefined
  return Math.max(0, quota.limit - quota.usage)
}

/** How many of the needed events are more than is left of a quota. */
export function beyond(quota: QuotaThere | undefined, needed: number): number {
  return Math.max(0, needed - (leftOf(quota) ?? needed))
}

/** True if an import would set events beside others that may be the same. */
export function stands({ days, held }: Pick<ProjectSide, 'days' | 'held'>): boolean {
  return held !== undefined && othersOf({ days, held }) + held.moved + held.apart > 0
}
