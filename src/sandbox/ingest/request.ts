import { isJsonObject, type JsonObject } from '../../text/json.ts'
import type { EventContext } from './event.ts'
import { type ParsedBody, Refusal } from './strict-json.ts'
import { parseRfc3339 } from './time.ts'

const MAX_LENGTH = 64

/** The project key of a request, trimmed; Refusal (401) unless it has the shape of one. */
function checkToken(token: string): string {
  const key = token.trim()
  const reason = flawOfToken(key)
  if (reason) throw new Refusal(401, `API key is not valid: ${reason}`)
  return key
}

/** What keeps a text from being a project key; undefined if nothing does. */
export function flawOfToken(key: string): string | undefined {
  if (key === '') return 'empty'
  if (Buffer.byteLength(key) > MAX_LENGTH) return 'too_long'
  if (/[^\0-\x7f]/.test(key)) return 'not_ascii'
  if (key.startsWith('phx_')) return 'personal_api_key'
  return key.includes('\0') ? 'null_byte' : undefined
}

/** The key that events sent without an envelope agree on. */
function tokenOfEvents(events: readonly JsonObject[]): string {
  const tokens = new Set(events.map(tokenOfEvent).filter((token) => token !== undefined))
  if (tokens.size > 1) throw new Refusal(401, 'batch submitted with inconsistent api_key values')
  const [token] = tokens
  if (token === undefined) throw new Refusal(401, 'event submitted without an api_key')
  return token
}

function tokenOfEvent(event: JsonObject): string | undefined {
  const own = event.token ?? event.api_key ?? event.$token
  if (typeof own === 'string') return own
  const inner = isJsonObject(event.properties) ? event.properties.token : undefined
  return typeof inner === 'string' ? inner : undefined
}

/** A request whose envelope is valid. Of its events only the types of the fields are checked. */
interface CaptureRequest {
  readonly token: string
  readonly historical: boolean
  /** The sender's clock. */
  readonly sentAt: EventContext['sentAt']
  readonly events: readonly JsonObject[]
}

const unparsable = (reason: string): Refusal => new Refusal(400, `failed to parse request: ${reason}`)

/** Reads the three forms of a request: an envelope with a `batch`, an array of events, a single event. */
export function readRequest({ value }: ParsedBody): CaptureRequest {
  if (Array.isArray(value)) return bare(value)
  if (!isJsonObject(value)) throw unparsable('data did not match any variant of untagged enum RawRequest')
  return 'batch' in value ? enveloped(value) : bare([value])
}

function bare(values: readonly unknown[]): CaptureRequest {
  const events = eventObjects(values)
  return { token: checkToken(tokenOfEvents(events)), historical: false, sentAt: undefined, events }
}

function enveloped(envelope: JsonObject): CaptureRequest {
  const token = envelope.api_key ?? envelope.token
  const { historical_migration: historical = null, sent_at: sentAt = null } = envelope
  if (token !== undefined && token !== null && typeof token !== 'string') {
    throw unparsable('invalid type: expected a string for `api_key`')
  }
  if (historical !== null && typeof historical !== 'boolean') {
    throw unparsable('invalid type: expected a boolean for `historical_migration`')
  }
  if (sentAt !== null && typeof sentAt !== 'string') {
    throw unparsable('invalid type: expected a string for `sent_at`')
  }
  if (!Array.isArray(envelope.batch)) throw unparsable('invalid type: expected a sequence for `batch`')
  const events = eventObjects(envelope.batch)
  if (typeof token !== 'string') throw new Refusal(401, 'event submitted without an api_key')
  return { token: checkToken(token), historical: historical === true, sentAt: readSentAt(sentAt), events }
}

function readSentAt(text: string | null): EventContext['sentAt'] {
  const micros = text === null ? undefined : parseRfc3339(text)
  return micros === undefined || text === null ? undefined : { micros, text }
}

function eventObjects(values: readonly unknown[]): readonly JsonObject[] {
  for (const value of values) {
    if (!isJsonObject(value)) throw new Refusal(400, 'failed to hydrate events from request: invalid type')
    checkTypes(value)
  }
  if (values.length === 0) throw new Refusal(400, 'request holds no event')
  return values as readonly JsonObject[]
}

type Check = (value: unknown) => boolean
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value)
const isString: Check = (value) => typeof value === 'string'

const FIELDS: Readonly<Record<string, Check>> = {
  event: isString,
  token: optional(isString),
  api_key: optional(isString),
  $token: optional(isString),
  uuid: optional(isString),
  timestamp: optional(isString),
  offset: optional(Number.isSafeInteger),
  // Absent is fine, null is not.
  properties: (value) => value === undefined || isJsonObject(value),
  $set: optional(isJsonObject),
  $set_once: optional(isJsonObject),
}
const FIELD_CHECKS = Object.entries(FIELDS)

function checkTypes(event: JsonObject): void {
  for (const [field, check] of FIELD_CHECKS) {
    if (check(event[field])) continue
    const what = event[field] === undefined ? 'missing field' : 'invalid type for'
    throw new Refusal(400, `failed to hydrate events from request: ${what} \`${field}\``)
  }
}
