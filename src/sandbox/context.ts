import type { HttpBindings } from '@hono/node-server'
import type { DeletionRequests } from './deletion-requests.ts'
import type { AddressSigner, DownloadRuns } from './downloads/runs.ts'
import type { FaultDice } from './faults/dice.ts'
import type { idLimit, QuotaMeter } from './faults/quota.ts'
import type { Dialect, EventRules, PersonalKey, Throttle } from './options.ts'
import type { EventStore } from './store/store.ts'
import type { WarningLog } from './warnings.ts'

/** Counts for SandboxStats. */
interface Stats {
  requests: number
  accepted: number
  readonly statuses: Record<string, number>
  readonly faults: Record<string, number>
}

/** Adds one to the count of a status or a kind of fault. */
export function count(counts: Record<string, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1
}

/** The organization of the project. */
export const ORGANIZATION = '00000000-0000-4000-8000-000000000001'

/** What the routes share. */
export interface SandboxContext {
  readonly store: EventStore
  readonly warnings: WarningLog
  readonly stats: Stats
  readonly quota: QuotaMeter
  readonly isOverLimit: ReturnType<typeof idLimit>
  readonly projectKey: string
  readonly projectId: number
  /** The project's. */
  readonly timeZone: string
  /** The months of a retention that is enforced. */
  readonly retentionMonths: number | undefined
  readonly groupTypesCacheMs: number
  readonly personalKeys: readonly PersonalKey[]
  readonly dialect: Dialect
  readonly throttle: Throttle | undefined
  /** Whole milliseconds since the epoch: the time of the machine, or of a test, and what it was moved on by. */
  readonly now: () => number
  /** Moves that time on by `ms` milliseconds. */
  readonly advance: (ms: number) => void
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
