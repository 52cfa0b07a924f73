import type { HttpBindings } from '@hono/node-server'
import type { SandboxClock } from './clock.ts'
import type { DeletionRequests } from './deletion-requests.ts'
import type { DownloadRuns } from './downloads/runs.ts'
import type { AddressSigner } from './downloads/signer.ts'
import type { FaultDice } from './faults/dice.ts'
import type { Meters } from './faults/quota.ts'
import type { IdLimit } from './ingest/id-limit.ts'
import type { Dialect, PersonalKey, Throttle } from './options.ts'
import type { StatCounter } from './stats.ts'
import type { EventStore } from './store/store.ts'
import type { WarningLog } from './warnings/log.ts'

/** What the routes share. */
export interface SandboxContext {
  readonly store: EventStore
  readonly warnings: WarningLog
  readonly stats: StatCounter
  readonly meters: Meters
  readonly idLimit: IdLimit
  readonly projectKey: string
  readonly projectId: number
  readonly timeZone: string
  readonly groupTypesCacheMs: number
  readonly personalKeys: readonly PersonalKey[]
  readonly dialect: Required<Dialect>
  readonly throttle: Throttle | undefined
  readonly now: () => number
  readonly clock: SandboxClock
  readonly downloads: DownloadRuns
  readonly deletions: DeletionRequests
  readonly signer: AddressSigner
  /** Port of the storage that downloads are fetched from; known once it listens. */
  bucketPort: number
  /** Replaced as a whole by setFaults. */
  dice: FaultDice
}

/** Hono's environment on Node: handlers may touch the raw request, answer and socket. */
export type NodeEnv = { Bindings: HttpBindings }
