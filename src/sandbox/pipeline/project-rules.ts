/** What a new group type's created_at is: the time of its first event, of its arrival, or null. */
export const GROUP_CREATED_AT = ['event', 'arrival', 'null'] as const
export type GroupCreatedAt = (typeof GROUP_CREATED_AT)[number]

/** What a project's settings do to its events. */
export interface ProjectRules {
  /** Drops events that are older than this number of days when they arrive. 0, the default, drops no event. */
  readonly dropEventsOlderThan: number
  /** Drops events whose properties, with all that the service adds to them, have more bytes. 0, the default, drops none. */
  readonly maxMessageBytes: number
  /** Takes `$ip` off events, after their place was looked up. Default false. */
  readonly anonymizeIps: boolean
  /** What a new group type's created_at is: the time of the event that makes it (`event`, the default), as newest servers
   * have it; that of its arrival (`arrival`), as older ones; or `null`, as the oldest. */
  readonly groupCreatedAt: GroupCreatedAt
}

export const PROJECT_RULES: ProjectRules = {
  dropEventsOlderThan: 0,
  maxMessageBytes: 0,
  anonymizeIps: false,
  groupCreatedAt: 'event',
}
