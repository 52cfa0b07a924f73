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

/** Counts for SandboxStats. */
export class StatCounter {
  requests = 0
  accepted = 0
  readonly statuses: Record<string, number> = {}
  readonly faults: Record<string, number> = {}

  answered(status: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
  }

  struck(kind: string): void {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1
  }

  snapshot(events: number): SandboxStats {
    const { requests, accepted, statuses, faults } = this
    return { requests, accepted, events, statuses: { ...statuses }, faults: { ...faults } }
  }
}
