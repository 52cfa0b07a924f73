import { existsSync, readFileSync } from 'node:fs'

/** A point of the program, as `preload.mjs` names it: `write`, `worker rename`. */
export type Point = string

/** What a process is to suffer. */
export interface FaultPlan {
  /** Only points whose path contains this count. */
  readonly match?: string
  /** Where each point that is passed is noted, a line each. */
  readonly log?: string
  /** SIGKILL before or after the nth point of a name, counted from 1. */
  readonly kill?: { readonly point: Point; readonly nth: number; readonly when: 'before' | 'after' }
  /**
   * Points that fail with an error number instead of being done: those from the nth on, up to and without `to`. A write
   * that fails with ENOSPC has written half of its bytes.
   */
  readonly fail?: {
    readonly points: readonly Point[]
    readonly from: number
    readonly to?: number
    readonly code: 'ENOSPC' | 'EROFS' | 'EIO' | 'EMFILE'
  }
  /** Jumps of the wall clock: after so many ms of the process's life, by so many ms. */
  readonly wall?: readonly (readonly [afterMs: number, byMs: number])[]
  /** The same of the monotonic clock. */
  readonly monotonic?: readonly (readonly [afterMs: number, byMs: number])[]
}

/** The environment of a process that suffers a plan. */
export function suffering(plan: FaultPlan): Record<string, string> {
  const preload = new URL('preload.mjs', import.meta.url).href
  return { NODE_OPTIONS: `--import=${preload}`, POSTHAUL_FAULTS: JSON.stringify(plan) }
}

/** How often each point was passed, by the log of a process. */
export function pointsIn(log: string): Map<Point, number> {
  const counts = new Map<Point, number>()
  if (!existsSync(log)) return counts
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [point = ''] = line.split('\t')
    if (point !== '') counts.set(point, (counts.get(point) ?? 0) + 1)
  }
  return counts
}
