/** A group on its way into a dataset. */
export interface GroupRecord {
  readonly key: string
  readonly createdAt: string
  /** JSON, as the service wrote it. */
  readonly properties: string
}

/** A page of groups, and where the next one is. */
export interface GroupBatch {
  readonly groups: readonly GroupRecord[]
  /** The same for two pages of the same groups. */
  readonly seen: string
  /** What to resume from; null behind the last page. */
  readonly next: string | null
}

/** Where a reader begins, and what it must not meet again. */
export interface ReadFrom {
  readonly next: string | undefined
  readonly seen: readonly string[]
}
