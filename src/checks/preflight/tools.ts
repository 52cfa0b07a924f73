import { stat, statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Clock, systemClock } from '../../http/clock.ts'
import type { Env } from '../../options/env.ts'
import { MS_PER_SECOND } from '../../text/units.ts'

/** What the checks touch of the world, so that a test can replace it. */
export interface Tools {
  readonly env: Env
  readonly stdin: Readable & { isTTY?: boolean }
  /** Ends all checks. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** The version of Node, such as `22.11.0`. */
  readonly node: string
  /** The longest that one server is waited for, in milliseconds. */
  readonly patienceMs: number
  /** The disk that a folder, which exists, is on: a number that tells it from others, and the bytes that are free. */
  disk(folder: string): Promise<Disk>
}

export interface Disk {
  readonly id: number
  readonly free: number
}

const PATIENCE_MS = 15 * MS_PER_SECOND

/** The tools of a run of the program. */
export function systemTools(io: Pick<Tools, 'env' | 'stdin'> & { readonly interrupted: AbortSignal }): Tools {
  return {
    env: io.env,
    stdin: io.stdin,
    signal: io.interrupted,
    clock: systemClock,
    node: process.versions.node,
    patienceMs: PATIENCE_MS,
    async disk(folder) {
      const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)])
      return { id: dev, free: bavail * bsize }
    },
  }
}
