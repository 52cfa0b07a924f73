import type { Context, Hono } from 'hono'
import { isJsonObject } from '../../text/json.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { beyondQuota } from '../faults/quota.ts'
import { type CapturedEvent, readEvent } from '../ingest/event.ts'
import { MAX_WIRE_BYTES, readPayload, type Wire } from '../ingest/payload.ts'
import { readRequest } from '../ingest/request.ts'
import { parseBody, Refusal } from '../ingest/strict-json.ts'
import { unauthenticated } from './api-error.ts'
import { type Door, type Intake, ingest } from './ingest.ts'

const PATHS = ['/batch', '/i/v0/e', '/e', '/capture', '/track']
const OK = { body: '{"status":"Ok"}', headers: { 'content-type': 'application/json' } }

const STATUS_TEXT: Readonly<Record<number, string>> = {
  401: 'API key is not valid: unknown',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  408: 'client stopped sending data',
  429: 'rate limited',
  500: 'transient error, please retry',
  502: 'bad gateway',
  503: 'service unavailable: overloaded',
  504: 'gateway timeout',
}

/** /batch/ and its kin: one bad event refuses the whole request. */
export function captureRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  for (const path of PATHS) app.post(path, (c) => ingest(c, context, DOOR))
  // Asked by an import, to find out whether the project has this key. There are no flags.
  app.post('/flags', async (c) => {
    const asked: unknown = await c.req.json().catch(() => undefined)
    if (isJsonObject(asked) && (asked.token ?? asked.api_key) === context.projectKey) {
      return c.json({ flags: {}, errorsWhileComputingFlags: false })
    }
    const detail =
      'Project API key invalid. You can find your project API key in your PostHog project settings.'
    throw unauthenticated(detail, 'invalid_api_key')
  })
}

const DOOR: Door = {
  route: 'batch',
  maxWireBytes: MAX_WIRE_BYTES,
  take,
  refuse: (error, c) => (error instanceof Refusal ? c.text(error.message, error.status as 400) : undefined),
  say: (status, c) => {
    if (status === 'billing') return c.text('billing limit reached', 429)
    if (status === 413)
      return c.html('<html><head><title>413 Request Entity Too Large</title></head></html>', 413)
    return c.text(STATUS_TEXT[status] ?? 'error', status as 500)
  },
}

/** Applies every rule to every event before anything is stored. */
async function take(
  wire: Wire,
  c: Context<NodeEnv>,
  { projectKey, now, isOverLimit }: SandboxContext,
): Promise<Intake> {
  const body = await readPayload(wire, c.req.header('content-encoding'))
  const parsed = parseBody(body)
  const { events, historical, sentAt, token } = readRequest(parsed)
  const received = now()
  const kept: CapturedEvent[] = []
  events.forEach((raw, at) => {
    const digits = parsed.numericIds.get(at)
    const event = readEvent(raw, { digits, historical, sentAt, now: received })
    // A well-formed key of no project is acknowledged like any other, and its events are dropped.
    if (!event || token !== projectKey) return
    kept.push(isOverLimit(event) ? { ...event, personless: true } : event)
  })
  return intakeOf(kept, { eventCount: events.length, bytes: body.length })
}

function intakeOf(kept: readonly CapturedEvent[], size: Pick<Intake, 'eventCount' | 'bytes'>): Intake {
  return {
    ...size,
    ...OK,
    kept,
    // The service does not say that it dropped something.
    overQuota: () => intakeOf(beyondQuota(kept), size),
  }
}
