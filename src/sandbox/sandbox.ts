import { loadDuckDB } from '../duckdb.ts'
import type { Fault } from './faults/fault.ts'
import type { SandboxOptions } from './options.ts'
import type { QueryAnswer, SandboxStats } from './shown.ts'

export type { SandboxOptions } from './options.ts'

/** A running stand-in for the service; ingestion and project API share `url`. */
export interface Sandbox {
  /** Base of every route, without a slash at its end: `http://127.0.0.1:8010`. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly projectKey: string
  readonly personalKey: string
  readonly projectId: number
  /** Folder of the store. */
  readonly data: string
  /** Runs a query as the query endpoint does after the next merge, without HTTP, keys or a row limit. */
  query(sql: string): Promise<QueryAnswer>
  stats(): SandboxStats
  /** Replaces the faults; their dice start anew. */
  setFaults(faults: readonly (string | Fault)[], seed?: number): void
  /** Moves the clock of the sandbox on by `ms` milliseconds. The clock never moves back. */
  advance(ms: number): void
  /** Stops listening, ends open connections, closes the store (and removes it when it was temporary). */
  close(): Promise<void>
}

/**
 * Starts a sandbox and resolves when it listens. Throws PosthaulError when it can't: DuckDB is not installed, the port is
 * in use, a fault is none.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await loadDuckDB('the sandbox needs')
  // All files behind this one may import DuckDB, which need not be installed.
  const { start } = await import('./start.ts')
  return start(options)
}
