import type { HttpBindings } from '@hono/node-server'
import type { DeletionRequests } from './deletion-requests.ts'
import type { AddressSigner, DownloadRuns } from './downloads/runs.ts'
import type { FaultDice } from './faults/dice.ts'
import type { IdLimit, Meters } from './faults/quota.ts'
import type { Dialect, EventRules, PersonalKey, Throttle } from './options.ts'
import type { SandboxStats } from './shown.ts'
import type { EventStore } from './store/store.ts'
import type { WarningLog } from './warnings.ts'

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

/** The time of the sandbox: that of the machine, or of a test, and what it was moved on by. */
export class SandboxClock {
  readonly #source: () => number
  #ahead = 0

  /** `source`: milliseconds since the epoch. */
  constructor(source: () => number) {
    this.#source = source
  }

  /** Whole milliseconds since the epoch. */
  readonly now = (): number => Math.floor(this.#source() + this.#ahead)

  /** Moves on by `ms` milliseconds. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock moves on, not by ${ms} ms`)
    this.#ahead += ms
  }
}

/** The organization of the project. */
export const ORGANIZATION = '00000000-0000-4000-8000-000000000001'

/** What the routes share. */
export interface SandboxContext {
  readonly store: EventStore
  readonly warnings: WarningLog
  readonly stats: StatCounter
  readonly meters: Meters
  readonly idLimit: IdLimit
  readonly projectKey: string
  readonly projectId: number
  /** The project's. */
  readonly timeZone: string
  /** The months of a retention that is enforced. */
  readonly retentionMonths: number | undefined
  readonly groupTypesCacheMs: number
  readonly personalKeys: readonly PersonalKey[]
  readonly dialect: Required<Dialect>
  readonly throttle: Throttle | undefined
  readonly now: () => number
  readonly clock: SandboxClock
  readonly downloads: DownloadRuns
  readonly deletions: DeletionRequests
  readonly eventRules: EventRules
  readonly signer: AddressSigner
  /** Port of the storage that downloads are fetched from; known once it listens. */
  bucketPort: number
  /** Replaced as a whole by setFaults. */
  dice: FaultDice
}

/** Hono's environment on Node: handlers may touch the raw request, answer and socket. */
export type NodeEnv = { Bindings: HttpBindings }
