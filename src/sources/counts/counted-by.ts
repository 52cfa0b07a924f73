/** Names from a record down to a value. */
export type MemberPath = readonly string[]

/** Where a vendor's raw records have what the vendor's own report counts them by. */
export interface CountedBy {
  /** The member that names the event. */
  readonly event: string
  /** The event's time: the first of these that the record has. */
  readonly times: readonly MemberPath[]
  /**
   * Records in which the event and all of these are the same count once. A record that lacks one of them counts for
   * itself. Without any, every record counts.
   */
  readonly identity: readonly MemberPath[]
  /** Events that the export has and the report does not count. */
  readonly uncounted: readonly string[]
}
