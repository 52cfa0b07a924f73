/** What an ingestion warning says of its type: what it is about, and what became of the event. */
export interface WarningClass {
  readonly category: 'size' | 'merge' | 'event' | 'quota'
  /** `error`: the event was dropped. `warning`: it was stored, but changed. `info`: it was dropped as the project asks. */
  readonly severity: 'error' | 'warning' | 'info'
  /** `capture`: the ingestion route itself warns. Default: what comes after it. */
  readonly source?: string
}

const captured = (severity: WarningClass['severity']): WarningClass => ({
  category: 'event',
  severity,
  source: 'capture',
})

/** The types that the sandbox makes. */
export const WARNING_TYPES = {
  message_size_too_large: { category: 'size', severity: 'error' },
  person_properties_size_violation: { category: 'size', severity: 'error' },
  group_key_too_long: { category: 'size', severity: 'error' },
  cannot_merge_already_identified: { category: 'merge', severity: 'warning' },
  cannot_merge_with_illegal_distinct_id: { category: 'merge', severity: 'warning' },
  invalid_group_set: { category: 'event', severity: 'error' },
  invalid_process_person_profile: { category: 'event', severity: 'warning' },
  invalid_event_when_process_person_profile_is_false: { category: 'event', severity: 'error' },
  event_dropped_too_old: { category: 'event', severity: 'info' },
  ignored_invalid_timestamp: { category: 'event', severity: 'warning' },
  event_uuid_not_v7: { category: 'event', severity: 'warning' },
  high_volume_distinct_id: { category: 'quota', severity: 'warning' },
  missing_event_name: captured('error'),
  event_name_too_long: captured('error'),
  missing_distinct_id: captured('error'),
  distinct_id_too_large: captured('error'),
  distinct_id_truncated: captured('warning'),
  invalid_event_timestamp: captured('error'),
  malformed_event_properties: captured('error'),
} as const satisfies Record<string, WarningClass>

export type WarningType = keyof typeof WARNING_TYPES

/** True for a word of Capture V1 that is a warning as well. */
export function isWarningType(word: string): word is WarningType {
  return Object.hasOwn(WARNING_TYPES, word)
}
