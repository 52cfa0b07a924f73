import { randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { Fault } from './faults/fault.ts'
import type { SandboxOptions } from './options.ts'

export type { Fault } from './faults/fault.ts'
export type { Dialect, PersonalKey, SandboxOptions, Throttle } from './options.ts'

/** What the query endpoint answers, and `Sandbox.query` with it. */
export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly types: readonly (readonly [name: string, type: string])[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
}

/** What the sandbox has seen since it started. */
export interface SandboxStats {
  /** Ingestion requests that arrived, whatever became of them. */
  readonly requests: number
  /** Ingestion requests answered with 200 (or whose 200 a `lost` fault swallowed). */
  readonly accepted: number
  /** Events stored by this process, duplicates included. */
  readonly events: number
  /** Ingestion answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Faults committed, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

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
  /** Runs a query as the query endpoint would, without HTTP, keys or row limit. */
  query(sql: string): Promise<QueryAnswer>
  stats(): SandboxStats
  /** Replaces the faults; their dice start anew. */
  setFaults(faults: readonly (string | Fault)[], seed?: number): void
  /** Stops listening, ends open connections, closes the store (and removes it when it was temporary). */
  close(): Promise<void>
}

/** Starts a sandbox and resolves when it listens. Throws PosthaulError when it can't (port in use, bad fault). */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, projectId = 1 } = options
  const app = new Hono()
  app.post('/batch/', (c) => c.json({ status: 'Ok' }))
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const starting = serve({ fetch: app.fetch, hostname: host, port }, () => resolve(starting))
  })
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host}:${bound}`,
    host,
    port: bound,
    projectKey: options.projectKey ?? `phc_${randomBytes(16).toString('hex')}`,
    personalKey: options.personalKey ?? `phx_${randomBytes(16).toString('hex')}`,
    projectId,
    data: options.data ?? '',
    query: async () => ({ columns: [], types: [], results: [], hasMore: false, limit: 100, offset: 0 }),
    stats: () => ({ requests: 0, accepted: 0, events: 0, statuses: {}, faults: {} }),
    setFaults: () => {},
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
