import { parseRfc3339 } from '../rfc3339.ts'
import { isObject, type JsonObject, parseBody, Refusal, V1_GRAMMAR } from '../strict-json.ts'
import { V1Refusal } from './error.ts'

/** An event whose members are of the right JSON types; `options` and `properties` may be anything. */
export interface V1Event {
  readonly event: string
  readonly uuid: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly session_id?: string | null
  readonly window_id?: string | null
  readonly options?: unknown
  readonly properties?: unknown
}

export interface V1Batch {
  readonly historical: boolean
  readonly events: readonly V1Event[]
}

/** Reads a Capture V1 body. One member of a wrong type refuses all of it. */
export function readBatch(body: Buffer): V1Batch {
  const envelope = parse(body)
  if (!isObject(envelope)) throw unparsable()
  const { created_at: createdAt, historical_migration: historical = false, batch } = envelope
  if (typeof createdAt !== 'string' || typeof historical !== 'boolean' || !Array.isArray(batch)) {
    throw unparsable()
  }
  const { capture_internal: internal = null } = envelope
  if (internal !== null && typeof internal !== 'boolean') throw unparsable()
  const events = batch.map(readEventTypes)
  if (events.length === 0) throw new V1Refusal('empty_batch', 'request batch is empty')
  if (parseRfc3339(createdAt) === undefined) {
    throw new V1Refusal('invalid_batch', `invalid batch: created_at is not valid RFC 3339: ${createdAt}`)
  }
  return { historical, events }
}

function parse(body: Buffer): unknown {
  try {
    return parseBody(body, V1_GRAMMAR).value
  } catch (error) {
    if (error instanceof Refusal) throw unparsable()
    throw error
  }
}

function readEventTypes(value: unknown): V1Event {
  if (!isObject(value)) throw unparsable()
  const { event, uuid, distinct_id, timestamp } = value
  if (typeof event !== 'string' || typeof uuid !== 'string') throw unparsable()
  if (typeof distinct_id !== 'string' || typeof timestamp !== 'string') throw unparsable()
  const { session_id, window_id } = idsOf(value)
  const { options, properties } = value
  return { event, uuid, distinct_id, timestamp, session_id, window_id, options, properties }
}

function idsOf({ session_id = null, window_id = null }: JsonObject) {
  if (session_id !== null && typeof session_id !== 'string') throw unparsable()
  if (window_id !== null && typeof window_id !== 'string') throw unparsable()
  return { session_id, window_id }
}

function unparsable(): V1Refusal {
  return new V1Refusal('request_parsing_error', 'Failed to parse request body.')
}
