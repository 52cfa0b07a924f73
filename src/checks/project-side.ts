import type { PosthaulError } from '../errors.ts'
import type { OtherPlace } from '../service/event-filter.ts'
import type { Quota } from '../service/event-quota.ts'
import type { EventsOfDay } from '../service/events-by-day.ts'
import type { ProjectRules } from '../service/project-rules.ts'
import type { Retention } from '../service/retention.ts'

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
  /** So many have their name, person and time there under another uuid. */
  readonly renamed: number
}

/** How many events of the input would stand beside themselves. */
export function doubledOf({ moved, apart, renamed }: HeldThere): number {
  return moved + apart + renamed
}

/** The project that events would go to. */
export interface ProjectSide {
  readonly id: string
  readonly name: string
  readonly isEmpty: boolean
  readonly days: readonly EventsOfDay[]
  /** Undefined for files, whose events nobody has counted, and where the project has no event of these days. */
  readonly held?: HeldThere | undefined
  /** Undefined where it has none, and where that could not be asked. */
  readonly quota?: Quota | undefined
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
export function leftOf(quota: Quota | undefined): number | undefined {
  if (!quota || quota.limit === null || quota.usage === null) return undefined
  return Math.max(0, quota.limit - quota.usage)
}

/** How many of the needed events are more than is left of a quota. */
export function beyond(quota: Quota | undefined, needed: number): number {
  return Math.max(0, needed - (leftOf(quota) ?? needed))
}

/** True if an import would set events beside others that may be the same. */
export function stands({ days, held }: Pick<ProjectSide, 'days' | 'held'>): boolean {
  return held !== undefined && othersOf({ days, held }) + doubledOf(held) > 0
}
