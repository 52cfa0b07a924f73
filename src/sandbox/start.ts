import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { PosthaulError } from '../errors.ts'
import type { NodeEnv, SandboxContext } from './context.ts'
import { DeletionRequests } from './deletion-requests.ts'
import { AddressSigner, DownloadRuns } from './downloads/runs.ts'
import { FaultDice } from './faults/dice.ts'
import type { Fault } from './faults/fault.ts'
import { idLimit, QuotaMeter } from './faults/quota.ts'
import { PROJECT_RULES, type SandboxOptions } from './options.ts'
import { runQuery } from './query/run.ts'
import { ApiError, notAllowed, notFound, sendApiError, serverError } from './routes/api-error.ts'
import { captureRoutes } from './routes/capture.ts'
import { captureV1Routes } from './routes/capture-v1.ts'
import { deletionRoutes } from './routes/deletions.ts'
import { bucketApp, downloadRoutes } from './routes/downloads.ts'
import { groupRoutes } from './routes/groups.ts'
import { accountRoutes, adminRoutes, eventRuleRoutes, healthRoutes, queryRoutes } from './routes/project.ts'
import { openFolder } from './store/folder.ts'
import { EventStore } from './store/store.ts'
import { WarningLog } from './warnings.ts'

const ROUTES = [
  captureRoutes,
  captureV1Routes,
  groupRoutes,
  accountRoutes,
  healthRoutes,
  queryRoutes,
  downloadRoutes,
  deletionRoutes,
  eventRuleRoutes,
  adminRoutes,
]

/** The sandbox's routes: ingestion and project API on one address. */
function buildApp(context: SandboxContext): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>({ strict: false })
  for (const add of ROUTES) add(app, context)
  app.notFound((c) => {
    const { method, path } = c.req
    const exists = ['GET', 'POST'].some((other) => app.router.match(other, path)[0].length > 0)
    return sendApiError(c, exists ? notAllowed(method) : notFound('Endpoint not found.'))
  })
  app.onError((error, c) => {
    if (error instanceof ApiError) return sendApiError(c, error)
    if (c.req.path.startsWith('/api/')) return sendApiError(c, serverError())
    // The first line only: a stack is of no use to a client, and the store's errors quote whole rows.
    const detail = `service unavailable: ${error.message.split('\n')[0]}`
    return c.text(detail, 503)
  })
  return app
}

/** Listens and resolves to the server and its port. PosthaulError when the address can't be had. */
function listen(app: Hono<NodeEnv>, host: string, port: number): Promise<[Server, number]> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) }) as Server
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message
      reject(
        new PosthaulError(`can't listen on ${host}:${port}: ${why}`, {
          code: 'config',
          hint: 'choose another with --port; --port 0 takes a free one',
          options: { '--port': '0' },
          cause,
        }),
      )
    })
    server.listen(port, host, () => resolve([server, (server.address() as AddressInfo).port]))
  })
}

/** Stops listening and ends every connection, requests under way included. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** As `startSandbox`, with DuckDB there. */
export async function start(options: SandboxOptions) {
  const { host = '127.0.0.1', port = 0, projectId = 1, seed = 1, now: source = Date.now } = options
  const { timeZone = 'UTC', mergeAfterMs = 60_000, storage = 'json', retentionMonths } = options
  let ahead = 0
  const now = () => Math.floor(source() + ahead)
  const advance = (ms: number) => {
    if (!(ms >= 0)) throw new RangeError(`a clock moves on, not by ${ms} ms`)
    ahead += ms
  }
  const rules = { ...PROJECT_RULES, ...options }
  // A copy: the project API changes it.
  rules.eventRules = { ...rules.eventRules }
  const warnings = new WarningLog(now)
  const dice = new FaultDice(options.faults ?? [], seed)
  const folder = openFolder(options.data)
  // What has to be ended, from the first that was begun.
  const begun: (() => unknown)[] = [folder.release]
  const end = async () => {
    for (const one of begun.splice(0).reverse()) await one()
  }
  try {
    const keys = {
      projectKey: options.projectKey ?? folder.identity?.projectKey ?? makeKey('phc_'),
      personalKey: options.personalKey ?? folder.identity?.personalKey ?? makeKey('phx_'),
    }
    const reads = { timeZone, storage, mergeAfterMs, retentionMonths, now }
    const store = await EventStore.open({ folder: folder.path, rules, ...reads, warnings })
    begun.push(() => store.close())
    folder.remember(keys)
    const { keyProjects: projects = [], keyOrganizations: organizations = [] } = options
    const context: SandboxContext = {
      store,
      warnings,
      stats: { requests: 0, accepted: 0, statuses: {}, faults: {} },
      quota: new QuotaMeter(options.quota ?? {}),
      isOverLimit: idLimit(options.maxEventsPerId ?? 0, now, warnings),
      projectKey: keys.projectKey,
      projectId,
      timeZone,
      retentionMonths,
      groupTypesCacheMs: options.groupTypesCacheMs ?? 0,
      personalKeys: [
        { key: keys.personalKey, scopes: ['*'], projects, organizations },
        ...(options.personalKeys ?? []),
      ],
      dialect: options.dialect ?? {},
      throttle: options.throttle,
      now,
      advance,
      downloads: new DownloadRuns(store, now),
      deletions: new DeletionRequests(store, now),
      eventRules: rules.eventRules,
      signer: new AddressSigner(),
      bucketPort: 0,
      dice,
    }
    const listening = async (app: Hono<NodeEnv>, wanted: number) => {
      const [server, bound] = await listen(app, host, wanted)
      begun.push(() => stop(server))
      return bound
    }
    const bound = await listening(buildApp(context), port)
    context.bucketPort = await listening(bucketApp(context), 0)
    let closing: Promise<void> | undefined
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
      host,
      port: bound,
      ...keys,
      projectId,
      data: folder.path,
      query: (sql: string) => runQuery(store, sql, { capped: false, merged: true }),
      stats: () => structuredClone({ ...context.stats, events: store.stored }),
      setFaults: (faults: readonly (string | Fault)[], newSeed = seed) => {
        context.dice = new FaultDice(faults, newSeed)
      },
      advance,
      close: () => (closing ??= end()),
    }
  } catch (error) {
    await end()
    throw error
  }
}

function makeKey(prefix: string): string {
  return prefix + randomBytes(16).toString('hex')
}
