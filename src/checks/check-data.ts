import type { Pace } from '../delivery/pacer.ts'
import { leastSendMs } from '../delivery/request-turns.ts'
import type { EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { sum } from '../text/lists.ts'
import type { Inspection } from './inspect.ts'
import type { ProjectAsked } from './project-side.ts'

/** What a dataset's manifest says of members and properties. */
type Stock = Pick<
  EventsManifest,
  | 'records'
  | 'children'
  | 'events'
  | 'members'
  | 'other_members'
  | 'properties'
  | 'other_properties'
  | 'distinct_ids'
>

/** What `check` has read: a dataset, or files of events. */
export interface Inspected {
  readonly name: string
  /** What the first line of the report says about it. */
  readonly about: string
  readonly subject: MigrationSubject
  readonly inspection: Inspection
  /** What the records held, and what the events hold; undefined for files, and for a manifest that does not know. */
  readonly stock: Stock | undefined
  /** The first line that was rejected, and why. */
  readonly reject: string | undefined
  /** Files of the dataset that its manifest doesn't name, as sentences. */
  readonly unnamed: readonly string[]
  /** The values of `$import_job_id` that the events carry; null where they can't be told by it. */
  readonly importIds: readonly string[] | null
  /** Where the dataset is; undefined for files. */
  readonly dataset?: { readonly store: Store; readonly manifest: EventsManifest }
  /** The words of the command line that import it. */
  readonly words: readonly string[]
}

export interface CheckFacts extends Inspected {
  readonly plan: MigrationPlan
  /** The project that events would go to; without a personal key nothing is known of it. */
  readonly project: ProjectAsked
}

/** What is known of the events to import, from the manifest of a dataset or from a survey of files. */
export interface MigrationSubject
  extends Pick<
    EventsManifest,
    'days' | 'names' | 'other_names' | 'big_integers' | 'mends' | 'source' | 'rejects'
  > {
  readonly parts: readonly { readonly bytes: number }[]
  readonly records: { readonly rejected: number; readonly read?: number }
  /** Of a manifest: where a record becomes several events, some of these may be refused. */
  readonly events?: { readonly rejected: number }
  /** Events in which a property has a value; undefined where nobody counted. */
  readonly properties?: Readonly<Record<string, number>>
}

interface PlanOptions {
  readonly pace: Pace
  readonly batchEvents: number
  readonly maxEvents: number
  /** True where the service's team has approved caps above the open ones. */
  readonly approved: boolean
  /** How long the service takes to answer, in milliseconds; undefined where nobody has measured it. */
  readonly answerMs?: number | undefined
}

/** Works out what an import will do under these caps. Pure. */
export function planOf(
  { parts, days, names, other_names: otherNames }: MigrationSubject,
  inspection: Inspection,
  { pace, ...options }: PlanOptions,
) {
  const dayNames = Object.keys(days).sort()
  const events = sum(dayNames, (day) => days[day]!)
  const [first, last] = [dayNames[0], dayNames.at(-1)]
  return {
    ...options,
    ...pace,
    events,
    /** Stored bytes. */
    bytes: sum(parts, ({ bytes }) => bytes),
    parts: parts.length,
    days: dayNames.length,
    /** The first and the last day; undefined if there are no events. */
    span: first !== undefined && last !== undefined ? { first, last } : undefined,
    names,
    /** Events whose names are not told apart. */
    otherNames,
    /** The least time in milliseconds. */
    ms: leastSendMs(pace, { events, turns: inspection.turns, answerMs: options.answerMs }),
    inspection,
  }
}

export type MigrationPlan = Readonly<ReturnType<typeof planOf>>
