import type { Context } from 'hono'
import { count, type NodeEnv, type SandboxContext } from '../context.ts'
import { cutConnection, drip, portalPage } from '../faults/commit.ts'
import type { Fault, Route } from '../faults/fault.ts'
import type { CapturedEvent } from '../ingest/event.ts'
import { readWire, type Wire } from '../ingest/payload.ts'

/** A request that every rule has been applied to. Nothing of it is stored yet. */
export interface Intake {
  readonly eventCount: number
  /** Bytes after unpacking. */
  readonly bytes: number
  /** The events to store: those of the project's own key, without those that the service drops. */
  readonly kept: readonly CapturedEvent[]
  /** The JSON of the 200. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** What is left of it when the project is over its quota. Throws where the route refuses the request then. */
  overQuota(): Intake
}

/** An ingestion route's own: how it reads a request, and how it words what is not a 200. */
export interface Door {
  readonly route: Extract<Route, 'batch' | 'v1'>
  readonly maxWireBytes: number
  /** Applies the rules of the route. Throws what `refuse` has an answer for. */
  take(wire: Wire, c: Context<NodeEnv>, context: SandboxContext): Promise<Intake>
  /** The answer for an error of `take`; undefined for one that is not the request's fault. */
  refuse(error: unknown, c: Context<NodeEnv>): Response | undefined
  /** The answer with a status that a fault asks for. */
  say(status: number | 'billing', c: Context<NodeEnv>): Response
}

/** Answers an ingestion request, or does to it what a fault says. A 200 means that it is on disk. */
export async function ingest(c: Context<NodeEnv>, context: SandboxContext, door: Door): Promise<Response> {
  context.stats.requests++
  const answer = await answerOf(c, context, door)
  // A cut connection has no status.
  if (!c.env.incoming.socket.destroyed) count(context.stats.statuses, answer.status)
  return answer
}

async function answerOf(c: Context<NodeEnv>, context: SandboxContext, door: Door): Promise<Response> {
  const { store, stats, dice } = context
  const fault = dice.strike(door.route, store.stored)
  if (fault?.kind === 'reset') {
    count(stats.faults, fault.kind)
    return cutConnection(c.env)
  }
  try {
    const wire = await readWire(c.env.incoming, door.maxWireBytes)
    if (!wire) return cutConnection(c.env)
    const early = fault && beforeWork(fault, c, door)
    if (fault && early) {
      count(stats.faults, fault.kind)
      return early
    }
    const taken = await door.take(wire, c, context)
    const intake = context.quota.standing.limited ? taken.overQuota() : taken
    const spared = fault?.kind === 'too-large' && fits(fault, intake)
    return await finish(c, context, { intake, door, fault: spared ? undefined : fault })
  } catch (error) {
    const refusal = door.refuse(error, c)
    if (refusal) return refusal
    throw error
  }
}

function beforeWork(fault: Fault, c: Context<NodeEnv>, door: Door): Response | undefined {
  if (fault.kind === 'html') return portalPage()
  if (fault.kind === 'billing') return door.say('billing', c)
  if (fault.kind !== 'status') return undefined
  const answer = door.say(fault.status ?? 500, c)
  if (fault.retryAfter !== undefined) answer.headers.set('Retry-After', fault.retryAfter)
  return answer
}

async function finish(
  c: Context<NodeEnv>,
  context: SandboxContext,
  { intake, door, fault }: { intake: Intake; door: Door; fault: Fault | undefined },
): Promise<Response> {
  const { stats } = context
  const store = (events: readonly CapturedEvent[]) => {
    context.quota.count(events)
    return context.store.write(events, addressOf(c))
  }
  if (fault) count(stats.faults, fault.kind)
  switch (fault?.kind) {
    case 'too-large':
      return door.say(413, c)
    case 'quota': {
      const left = intake.overQuota()
      await store(left.kept)
      return success(left, c)
    }
    case 'partial':
      await store(intake.kept.slice(0, Math.ceil(intake.kept.length / 2)))
      return door.say(500, c)
    case 'quota-said':
      if (door.route === 'v1') return door.say('billing', c)
      return c.json({ ...JSON.parse(intake.body), quota_limited: ['events'] })
  }
  await store(intake.kept)
  stats.accepted++
  if (fault?.kind === 'lost') return cutConnection(c.env)
  if (fault?.kind === 'slow') return drip(c.env, success(intake, c), fault.ms)
  return success(intake, c)
}

function success({ body, headers }: Intake, c: Context<NodeEnv>): Response {
  return c.body(body, 200, headers)
}

/** The sender's IP address. A proxy's word on it is not taken. */
function addressOf(c: Context<NodeEnv>): string {
  return c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
}

/** True if a request is within the fault's limits. Every request is too large for a fault without limits. */
function fits({ events, bytes }: Fault, intake: Intake): boolean {
  if (events === undefined && bytes === undefined) return false
  const most = Number.POSITIVE_INFINITY
  return intake.eventCount <= (events ?? most) && intake.bytes <= (bytes ?? most)
}
