// What a sandbox shows to programs. The types of DuckDB, which need not be installed, must not be among these.

/** What the sandbox has seen since it started. */
export interface SandboxStats {
  /** All ingestion requests that arrived. */
  readonly requests: number
  /** Ingestion requests that were processed with a 200, including those whose answer a fault cut off. */
  readonly accepted: number
  /** Events stored by this process, duplicates included. */
  readonly events: number
  /** Ingestion answers that were sent, by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Faults committed, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

/** What the query endpoint answers. */
export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly types: readonly (readonly [name: string, type: string])[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
}
