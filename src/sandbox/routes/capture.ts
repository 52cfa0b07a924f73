import type { Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { meterOfCaptured } from '../faults/quota.ts'
import { type CapturedEvent, readEvent } from '../ingest/event.ts'
import { MAX_WIRE_BYTES, readPayload, sentAtOfQuery, type Wire } from '../ingest/payload.ts'
import { readRequest } from '../ingest/request.ts'
import { parseBody, Refusal } from '../ingest/strict-json.ts'
import { anyOrigin, type Door, type Intake, ingest } from './ingest.ts'

/** Routes of old browsers, and those of newer libraries. */
const LEGACY_PATHS = ['/capture', '/e', '/track']
const PATHS = ['/batch', '/i/v0/e', ...LEGACY_PATHS]
const OK = { body: '{"status":"Ok"}', headers: { 'content-type': 'application/json' } }
const NO_CONTENT = { body: null, headers: {} }

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
  for (const path of PATHS) {
    app.use(path, anyOrigin('GET', 'POST'))
    app.on(['GET', 'POST'], path, (c) => ingest(c, context, DOOR))
  }
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
  { projectKey, now, idLimit }: SandboxContext,
): Promise<Intake> {
  const query = new URL(c.req.url).searchParams
  const body = await readPayload(wire, {
    contentType: c.req.header('content-type'),
    contentEncoding: c.req.header('content-encoding'),
    query,
    isLegacy: LEGACY_PATHS.includes(c.req.path.replace(/\/$/, '')),
  })
  const parsed = parseBody(body)
  const { events, historical, sentAt = sentAtOfQuery(query), token } = readRequest(parsed)
  const received = now()
  const kept: CapturedEvent[] = []
  events.forEach((raw, at) => {
    const digits = parsed.numericIds.get(at)
    const event = readEvent(raw, { digits, historical, sentAt, now: received })
    // A well-formed key of no project is acknowledged like any other, and its events are dropped.
    if (!event || token !== projectKey) return
    kept.push(idLimit.isOver(event) ? { ...event, personless: true } : event)
  })
  return intakeOf(kept, {
    eventCount: events.length,
    bytes: body.length,
    isBeacon: query.get('beacon') === '1',
  })
}

interface Size extends Pick<Intake, 'eventCount' | 'bytes'> {
  /** True for a page that is being left, which reads no answer. */
  readonly isBeacon: boolean
}

function intakeOf(kept: readonly CapturedEvent[], size: Size): Intake {
  return {
    ...size,
    ...(size.isBeacon ? NO_CONTENT : OK),
    kept,
    // The service does not say that it dropped something.
    overQuota: (over) => {
      const left = kept.filter((event) => meterOfCaptured(event) !== over)
      return intakeOf(left, size)
    },
  }
}
