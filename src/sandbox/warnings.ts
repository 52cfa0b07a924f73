import { groupedBy } from '../text/lists.ts'

/** What an ingestion warning says of its type: what it is about, and what became of the event. */
interface WarningClass {
  readonly category: 'size' | 'merge' | 'event' | 'quota' | 'transformation'
  /** `error`: the event was dropped. `warning`: it was stored, but changed. `info`: it was dropped as the project asks. */
  readonly severity: 'error' | 'warning' | 'info'
  /** `capture`: the ingestion route itself warns. Default: what comes after it. */
  readonly source?: string
}

/** The types that the sandbox makes. */
const WARNING_TYPES = {
  message_size_too_large: { category: 'size', severity: 'error' },
  person_properties_size_violation: { category: 'size', severity: 'error' },
  group_key_too_long: { category: 'size', severity: 'error' },
  cannot_merge_already_identified: { category: 'merge', severity: 'warning' },
  cannot_merge_with_illegal_distinct_id: { category: 'merge', severity: 'warning' },
  invalid_group_set: { category: 'event', severity: 'error' },
  invalid_process_person_profile: { category: 'event', severity: 'warning' },
  invalid_event_when_process_person_profile_is_false: { category: 'event', severity: 'error' },
  schema_validation_failed: { category: 'event', severity: 'error' },
  event_dropped_by_transformation: { category: 'transformation', severity: 'info' },
  event_dropped_too_old: { category: 'event', severity: 'info' },
  ignored_invalid_timestamp: { category: 'event', severity: 'warning' },
  event_uuid_not_v7: { category: 'event', severity: 'warning' },
  high_volume_distinct_id: { category: 'quota', severity: 'warning' },
  missing_event_name: { category: 'event', severity: 'error', source: 'capture' },
  event_name_too_long: { category: 'event', severity: 'error', source: 'capture' },
  missing_distinct_id: { category: 'event', severity: 'error', source: 'capture' },
  distinct_id_too_large: { category: 'event', severity: 'error', source: 'capture' },
  distinct_id_truncated: { category: 'event', severity: 'warning', source: 'capture' },
  invalid_event_timestamp: { category: 'event', severity: 'error', source: 'capture' },
  malformed_event_properties: { category: 'event', severity: 'error', source: 'capture' },
} as const satisfies Record<string, WarningClass>

export type WarningType = keyof typeof WARNING_TYPES

/** True for a word of Capture V1 that is a warning as well. */
export function isWarningType(word: string): word is WarningType {
  return Object.hasOwn(WARNING_TYPES, word)
}

/** One event that was dropped or changed. */
export interface Warning {
  readonly type: WarningType
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly eventUuid: string | undefined
  readonly distinctId: string
  readonly groupKey?: string
  /** Warnings of one type and key come once an hour. */
  readonly hourlyKey?: string
  readonly details: Readonly<Record<string, unknown>>
}

const KEPT_MS = 90 * 86_400_000
/** The service samples and throttles. The newest warnings of each type are kept, up to this number. */
const MOST_OF_A_TYPE = 10_000

/** The warnings of the project since the sandbox started. */
export class WarningLog {
  readonly #byType = new Map<WarningType, Warning[]>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(warning: Omit<Warning, 'at'>): void {
    const all = this.#byType.get(warning.type) ?? []
    this.#byType.set(warning.type, all)
    const at = this.#now()
    const { hourlyKey } = warning
    if (hourlyKey !== undefined && all.some((one) => one.hourlyKey === hourlyKey && one.at > at - 3_600_000))
      return
    all.push({ ...warning, at })
    if (all.length > MOST_OF_A_TYPE) all.shift()
  }

  /** Those of each type that are still kept, oldest first. `refused` is what the persons' store refused. */
  all(refused: readonly Warning[]): Warning[] {
    const oldest = this.#now() - KEPT_MS
    return [...[...this.#byType.values()].flat(), ...refused].filter(({ at }) => at >= oldest)
  }
}

/** How many of a type come as examples. */
const SAMPLES = 5

/** The answer of the project API: one row a type of the warnings since a time, the most frequent first. */
export function warningRows(warnings: readonly Warning[], since: number) {
  const found = groupedBy(
    warnings.filter(({ at }) => at >= since),
    ({ type }) => type,
  )
  return [...found].map(([type, all]) => rowOf(type, all)).sort((one, other) => other.count - one.count)
}

function rowOf(type: WarningType, warnings: readonly Warning[]) {
  const newest = [...warnings].sort((one, other) => other.at - one.at)
  const { category, severity, source = 'plugin-server' }: WarningClass = WARNING_TYPES[type]
  const samples = newest.slice(0, SAMPLES).map(({ at, eventUuid, distinctId, groupKey, details }) => ({
    timestamp: text(at),
    source,
    pipeline_step: null,
    event_uuid: eventUuid ?? null,
    distinct_id: distinctId,
    person_id: null,
    group_key: groupKey ?? null,
    details,
  }))
  return { type, category, severity, count: warnings.length, last_seen: text(newest[0]!.at), samples }
}

function text(at: number): string {
  return new Date(at).toISOString()
}
