import { randomBytes } from 'node:crypto'
import { buildApp } from './app.ts'
import type { SandboxContext } from './context.ts'
import { FaultDice } from './faults/dice.ts'
import type { Fault } from './faults/fault.ts'
import { listen, stop } from './listen.ts'
import type { Dialect, SandboxOptions } from './options.ts'
import { type QueryAnswer, runQuery } from './query/run.ts'
import { type SandboxStats, StatCounter } from './stats.ts'
import { type DataFolder, openFolder } from './store/folder.ts'
import { EventStore } from './store/store.ts'

export type { Fault } from './faults/fault.ts'
export type { Dialect, PersonalKey, SandboxOptions, Throttle } from './options.ts'
export type { QueryAnswer } from './query/run.ts'
export type { SandboxStats } from './stats.ts'

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
  /** Stops listening, ends open connections, closes the store (and removes it when it was temporary). */
  close(): Promise<void>
}

const DIALECT: Required<Dialect> = {
  propertyValues: 'page',
  propertyDefinitions: true,
  groupsTypes: ['project', 'bare'],
}

/** Starts a sandbox and resolves when it listens. Throws PosthaulError when it can't (port in use, bad fault). */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, projectId = 1, seed = 1 } = options
  const { timeZone = 'UTC', now = Date.now } = options
  const dice = new FaultDice(options.faults ?? [], seed)
  const folder = openFolder(options.data)
  try {
    const keys = {
      projectKey: options.projectKey ?? folder.identity?.projectKey ?? makeKey('phc_'),
      personalKey: options.personalKey ?? folder.identity?.personalKey ?? makeKey('phx_'),
    }
    const store = await EventStore.open({ folder: folder.path, timeZone, now })
    folder.remember(keys)
    const context: SandboxContext = {
      store,
      stats: new StatCounter(),
      projectKey: keys.projectKey,
      projectId,
      timeZone,
      personalKeys: [{ key: keys.personalKey, scopes: ['*'] }, ...(options.personalKeys ?? [])],
      dialect: { ...DIALECT, ...options.dialect },
      throttle: options.throttle,
      now,
      dice,
    }
    return { ...keys, ...(await open(context, folder, { host, port, seed })), projectId, data: folder.path }
  } catch (error) {
    folder.release()
    throw error
  }
}

interface Address {
  readonly host: string
  readonly port: number
  readonly seed: number
}

async function open(context: SandboxContext, folder: DataFolder, { host, port, seed }: Address) {
  const { store, stats } = context
  const [server, bound] = await listen(buildApp(context), host, port).catch(async (error) => {
    await store.close()
    throw error
  })
  let closing: Promise<void> | undefined
  const close = async () => {
    await stop(server)
    await store.close()
    folder.release()
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    host,
    port: bound,
    query: (sql: string) => runQuery(store, sql, { capped: false, merged: true }),
    stats: () => stats.snapshot(store.stored),
    setFaults: (faults: readonly (string | Fault)[], newSeed = seed) => {
      context.dice = new FaultDice(faults, newSeed)
    },
    close: () => (closing ??= close()),
  }
}

function makeKey(prefix: string): string {
  return prefix + randomBytes(16).toString('hex')
}
