import type { Finding, FindingLevel } from './finding.ts'

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
} as const satisfies Record<string, FindingLevel>

export type Kind = keyof typeof LEVELS

/** Something to know or to do before events are sent, before it is put into words. */
export interface Problem extends Pick<Finding, 'names' | 'example' | 'places'> {
  readonly kind: Kind
  readonly count: number
}
