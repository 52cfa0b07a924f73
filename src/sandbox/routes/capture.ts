import { type Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { cutConnection, drip, portalPage } from '../faults/commit.ts'
import type { Fault } from '../faults/fault.ts'
import { meterOf } from '../faults/quota.ts'
import { readBody } from '../ingest/body.ts'
import { readEvent, type StoredEvent } from '../ingest/event.ts'
import { Refusal } from '../ingest/refusal.ts'
import { type CaptureRequest, readRequest } from '../ingest/request.ts'
import { parseBody } from '../json/parse.ts'

const PATHS = ['/batch', '/capture', '/e', '/i/v0/e']
const SLOW_MS = 2000

const STATUS_TEXT: Readonly<Record<number, string>> = {
  401: 'API key is not valid: unknown',
  403: 'forbidden',
  408: 'client stopped sending data',
  429: 'rate limited',
  500: 'transient error, please retry',
  502: 'bad gateway',
  503: 'service unavailable: overloaded',
  504: 'gateway timeout',
}

interface Accepted extends CaptureRequest {
  /** The events to store: those of the project's own key, without those that the service drops silently. */
  readonly kept: readonly StoredEvent[]
}

/** The ingestion routes: one bad event refuses the whole request, a 200 means it is on disk. */
export function captureRoutes(context: SandboxContext): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>({ strict: false })
  for (const path of PATHS) {
    routes.post(path, async (c) => {
      context.stats.requests++
      const answer = await capture(c, context)
      // A cut connection has no status.
      if (!c.env.incoming.socket.destroyed) context.stats.answered(answer.status)
      return answer
    })
  }
  return routes
}

async function capture(c: Context<NodeEnv>, context: SandboxContext): Promise<Response> {
  const { store, stats, dice } = context
  const fault = dice.strike({ on: 'ingest', stored: store.stored })
  if (fault?.kind === 'reset') {
    stats.struck(fault.kind)
    return cutConnection(c.env)
  }
  try {
    const body = await readBody(c.env.incoming)
    if (!body) return cutConnection(c.env)
    const early = fault && beforeWork(fault, c)
    if (fault && early) {
      stats.struck(fault.kind)
      return early
    }
    const request = accept(body, context)
    return await finish(c, context, { request, bytes: body.length, fault })
  } catch (error) {
    if (error instanceof Refusal) return c.text(error.message, error.status as 400)
    throw error
  }
}

/** Applies every rule to every event before anything is stored. */
function accept(body: Buffer, { projectKey, now }: SandboxContext): Accepted {
  const parsed = parseBody(body)
  const request = readRequest(parsed)
  const { historical, sentAt } = request
  const received = now()
  const kept: StoredEvent[] = []
  request.events.forEach((raw, at) => {
    const digits = parsed.numericIds.get(at)
    const event = readEvent(raw, { digits, historical, sentAt, now: received })
    // A well-formed key of no project is acknowledged like any other, and its events are dropped.
    if (event && request.token === projectKey) kept.push(event)
  })
  return { ...request, kept }
}

function beforeWork(fault: Fault, c: Context<NodeEnv>): Response | undefined {
  if (fault.kind === 'html') return portalPage()
  if (fault.kind === 'billing') return c.text('billing limit reached', 429)
  if (fault.kind !== 'status') return undefined
  const status = fault.status ?? 500
  if (fault.retryAfter !== undefined) c.header('Retry-After', fault.retryAfter)
  return c.text(STATUS_TEXT[status] ?? 'error', status as 500)
}

interface Work {
  readonly request: Accepted
  readonly bytes: number
  readonly fault: Fault | undefined
}

async function finish(c: Context<NodeEnv>, context: SandboxContext, work: Work): Promise<Response> {
  const { store, stats } = context
  const { request, bytes, fault } = work
  const body = { status: 'Ok' }
  switch (fault?.kind) {
    case 'too-large':
      if (fits(fault, request.events.length, bytes)) break
      stats.struck(fault.kind)
      return c.html('<html><head><title>413 Request Entity Too Large</title></head></html>', 413)
    case 'quota': {
      stats.struck(fault.kind)
      // The service does not say that it dropped something.
      const over = fault.meter ?? 'events'
      await store.write(request.kept.filter((event) => meterOf(event) !== over))
      return c.json(body)
    }
    case 'quota-said':
      stats.struck(fault.kind)
      return c.json({ ...body, quota_limited: ['events'] })
    case 'partial':
      stats.struck(fault.kind)
      await store.write(request.kept.slice(0, Math.ceil(request.kept.length / 2)))
      return c.text('transient error, please retry', 500)
  }
  await store.write(request.kept)
  stats.accepted++
  if (fault?.kind === 'lost') {
    stats.struck(fault.kind)
    return cutConnection(c.env)
  }
  if (fault?.kind === 'slow') {
    stats.struck(fault.kind)
    return drip(c.env, JSON.stringify(body), fault.ms ?? SLOW_MS)
  }
  return c.json(body)
}

/** True if a request is within the fault's limits. Every request is too large for a fault without limits. */
function fits({ events, bytes }: Fault, eventCount: number, byteCount: number): boolean {
  if (events === undefined && bytes === undefined) return false
  return (
    eventCount <= (events ?? Number.POSITIVE_INFINITY) && byteCount <= (bytes ?? Number.POSITIVE_INFINITY)
  )
}
