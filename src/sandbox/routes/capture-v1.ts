import type { Context, Hono } from 'hono'
import { count, type NodeEnv, type SandboxContext } from '../context.ts'
import type { Fault } from '../faults/fault.ts'
import type { Wire } from '../ingest/payload.ts'
import { MAX_V1_WIRE_BYTES, readBatch, unpackV1 } from '../ingest/v1/batch.ts'
import { RETRY_AFTER, V1Refusal, type V1Tag } from '../ingest/v1/error.ts'
import { readV1Events, type V1Outcome } from '../ingest/v1/event.ts'
import { readHead } from '../ingest/v1/head.ts'
import { restrictionsOf } from '../pipeline/event-rules.ts'
import { isWarningType } from '../warnings.ts'
import { type Door, type Intake, ingest } from './ingest.ts'

const PATH = '/i/v1/analytics/events'
const REQUEST_ID = 'PostHog-Request-Id'

/** Tags of the statuses that a fault may ask for; the others are a proxy's, which knows no tags. */
const TAGS: Readonly<Record<number, V1Tag>> = {
  401: 'invalid_api_token',
  408: 'request_timeout',
  413: 'payload_too_large',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'service_unavailable',
  504: 'gateway_timeout',
}

/** Capture V1: an answer for each event. */
export function captureV1Routes(app: Hono<NodeEnv>, context: SandboxContext): void {
  if (context.dialect.captureV1 === 'absent') return
  app.use(PATH, async (c, next) => {
    const id = c.req.header(REQUEST_ID)
    if (id !== undefined) c.header(REQUEST_ID, id)
    await next()
  })
  app.post(PATH, (c) => ingest(c, context, DOOR))
  app.all(PATH, (c) => c.body(null, 405, { Allow: 'POST' }))
}

const DOOR: Door = {
  route: 'v1',
  maxWireBytes: MAX_V1_WIRE_BYTES,
  take,
  refuse: (error, c) => (error instanceof V1Refusal ? refusal(error, c) : undefined),
  say: (status, c) => {
    // Older servers answered 429 where newer ones answer 402.
    if (status === 'billing') return refusal(billing(), c, 429)
    const tag = TAGS[status]
    return tag ? refusal(new V1Refusal(tag, tag.replaceAll('_', ' ')), c) : c.body(null, status as 404)
  },
}

function refusal(error: V1Refusal, c: Context<NodeEnv>, status = error.status): Response {
  const headers: Record<string, string> = error.passes || status === 429 ? { 'Retry-After': RETRY_AFTER } : {}
  return c.json(error.body, status as 400, headers)
}

function billing(): V1Refusal {
  return new V1Refusal('billing_limit_exceeded', 'billing limit exceeded')
}

async function take(wire: Wire, c: Context<NodeEnv>, context: SandboxContext): Promise<Intake> {
  const head = readHead(c.env.incoming.headers)
  const body = await unpackV1(wire, head.encoding)
  const { events, historical } = readBatch(body)
  const validated = readV1Events(events, { ...head, historical, now: context.now() })
  const isMine = head.token === context.projectKey
  for (const { uuid: eventUuid, name, details } of validated) {
    if (!isMine || details === undefined || !isWarningType(details)) continue
    context.warnings.add({ type: details, eventUuid, distinctId: '', details: { eventUuid, event: name } })
  }
  const size = { eventCount: events.length, bytes: body.length }
  if (validated.every(({ result }) => result === 'drop')) return intakeOf(validated, { ...size, isMine })
  if (context.dialect.captureV1 === 'unconfigured') {
    throw new V1Refusal('service_unavailable', 'Service Unavailable')
  }
  return intakeOf(
    validated.map((outcome) => admitted(outcome, context, isMine)),
    { ...size, isMine },
  )
}

interface Size extends Pick<Intake, 'eventCount' | 'bytes'> {
  /** False for a well-formed key of no project: its events are acknowledged and vanish. */
  readonly isMine: boolean
}

function intakeOf(outcomes: readonly V1Outcome[], size: Size): Intake {
  const results = outcomes.map(({ uuid, result, details }) => [uuid, { result, ...(details && { details }) }])
  const retry = outcomes.some(({ result }) => result === 'retry')
  const stored = outcomes.flatMap(({ event, result }) =>
    event && (result === 'ok' || result === 'warning') ? [event] : [],
  )
  return {
    ...size,
    kept: size.isMine ? stored : [],
    body: JSON.stringify({ results: Object.fromEntries(results) }),
    headers: { 'content-type': 'application/json', ...(retry && { 'Retry-After': RETRY_AFTER }) },
    overQuota: () => {
      // Without an event that is worth counting no quota is looked at.
      if (outcomes.some(({ result }) => result !== 'drop')) throw billing()
      return intakeOf(outcomes, size)
    },
  }
}

/** What restrictions, faults and the limit of its distinct_id make of an event. */
function admitted(outcome: V1Outcome, context: SandboxContext, isMine: boolean): V1Outcome {
  const { event } = outcome
  // Unlike /batch/, this route says that a restriction drops an event.
  if (event && restrictionsOf(context.eventRules, event).includes('drop_event_from_ingestion'))
    return struck(outcome, { kind: 'v1-drop', word: 'event_restriction_drop' })
  if (!event || outcome.result !== 'ok') return outcome
  const fault = context.dice.strike('v1', context.store.stored, true)
  if (fault) count(context.stats.faults, fault.kind)
  if (fault) return struck(outcome, fault)
  return isMine && context.isOverLimit(event) ? struck(outcome, { kind: 'v1-warning' }) : outcome
}

function struck(outcome: V1Outcome, { kind, word }: Pick<Fault, 'kind' | 'word'>): V1Outcome {
  if (kind === 'v1-retry') return { ...outcome, result: 'retry', details: word ?? 'not_persisted' }
  if (kind === 'v1-drop') return { ...outcome, result: 'drop', details: word ?? 'rejected' }
  const details = word ?? 'person_processing_disabled'
  const { event } = outcome
  return { ...outcome, result: 'warning', details, ...(event && { event: { ...event, personless: true } }) }
}
