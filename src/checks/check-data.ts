import type { EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import type { CheckFinding } from './finding.ts'
import type { Inspection } from './inspect.ts'
import type { MigrationPlan, MigrationSubject } from './migration-plan.ts'
import type { PersonsPlan } from './persons/persons-plan.ts'
import type { ProjectAsked } from './project-side.ts'
import type { GroupsAsked } from './types-fit.ts'

/** What a dataset's manifest says of members and properties. */
export type Stock = Pick<
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

/** Where the events would go, as the settings say it. */
export interface TargetAddress {
  /** The address that is asked; undefined if no setting names one. */
  readonly origin: string | undefined
  readonly isCloud: boolean
}

/** All that is known of an import that has not begun. */
export interface CheckFacts extends Inspected {
  readonly plan: MigrationPlan
  readonly groups: GroupsAsked
  /** The project that events would go to; without a personal key nothing is known of it. */
  readonly project: ProjectAsked
  readonly target: TargetAddress
  /** Undefined if nobody could be asked, and where the project has none of the persons. */
  readonly persons: PersonsPlan | undefined
}

export interface Check extends CheckFacts {
  /** Worst first. */
  readonly findings: readonly CheckFinding[]
  /** The words of the next command: the import, or another check if there are errors to mend first. */
  readonly next: readonly string[]
}
