import type { PropertyPlace } from './storage-seen.ts'

/**
 * How much a problem matters. `error`: the service would certainly lose or bend events, so the import must not run.
 * `warning`: the service may do so, or the import costs something; the user decides. `note`: good to know.
 */
export type Level = 'error' | 'warning' | 'note'

/** Every kind of problem, worst first, as they are listed. The names in snake_case are for scripts. */
export const LEVELS = {
  group_types: 'error',
  long_group_keys: 'error',
  dropped_events: 'error',
  hidden_groups: 'error',
  sent_otherwise: 'error',
  other_imports: 'error',
  over_quota: 'error',
  empty: 'warning',
  volume: 'warning',
  speed: 'warning',
  quota_short: 'warning',
  capped: 'warning',
  old_events: 'warning',
  young_events: 'warning',
  busy_ids: 'warning',
  missing_days: 'warning',
  accepted_imports: 'warning',
  project_in_use: 'warning',
  large_events: 'warning',
  long_event_names: 'warning',
  nobody_ids: 'warning',
  refused_merges: 'warning',
  large_persons: 'warning',
  forced_merges: 'warning',
  foreign_events: 'warning',
  big_integers: 'warning',
  unreadable_properties: 'warning',
  dropped_properties: 'warning',
  large_person_properties: 'warning',
  long_distinct_ids: 'warning',
  odd_sessions: 'warning',
  bad_lines: 'warning',
  many_rejects: 'warning',
  unnamed_files: 'warning',
  rejects: 'note',
  quiet_days: 'note',
  foreign_properties: 'note',
  long_property_names: 'note',
  person_history: 'note',
  temporary_properties: 'note',
  flag_properties: 'note',
  exposures: 'note',
  text_properties: 'note',
  long_integers: 'note',
  event_names_cut: 'note',
  ids_trimmed: 'note',
  new_group_types: 'note',
  groups_unasked: 'note',
  project_unasked: 'note',
  already_imported: 'note',
  mixed_days: 'note',
} as const satisfies Record<string, Level>

export type Kind = keyof typeof LEVELS

/** Something to know or to do before events are sent, since sent events cannot be taken back. */
export interface Problem {
  readonly kind: Kind
  readonly level: Level
  readonly count: number
  /** The names that have the problem, commonest first; days and holes oldest first. */
  readonly names?: readonly string[]
  /** The uuid of an event, or the line, and what of it shows the problem; at most 120 characters. */
  readonly example?: string | undefined
  /** The properties that have the problem, each with one of its events, commonest first. */
  readonly places?: readonly PropertyPlace[]
}

/** A problem as it is found. */
export type Unrated = Omit<Problem, 'level'>
