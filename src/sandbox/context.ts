import type { HttpBindings } from '@hono/node-server'
import type { FaultDice } from './faults/dice.ts'
import type { Dialect, PersonalKey, Throttle } from './options.ts'
import type { StatCounter } from './stats.ts'
import type { EventStore } from './store/store.ts'

/** What the routes share. */
export interface SandboxContext {
  readonly store: EventStore
  readonly stats: StatCounter
  readonly projectKey: string
  readonly projectId: number
  readonly timeZone: string
  readonly personalKeys: readonly PersonalKey[]
  readonly dialect: Required<Dialect>
  readonly throttle: Throttle | undefined
  readonly now: () => number
  /** Replaced as a whole by setFaults. */
  dice: FaultDice
}

/** Hono's environment on Node: handlers may touch the raw request, answer and socket. */
export type NodeEnv = { Bindings: HttpBindings }
