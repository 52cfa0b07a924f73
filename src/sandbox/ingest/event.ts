import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { Refusal } from './strict-json.ts'
import { eventTime } from './time.ts'
import { makeUuid, parseUuid } from './uuid.ts'

const MAX_CHARACTERS = 200
const BLANKS = /^\p{White_Space}+|\p{White_Space}+$/gu

/** A text without the blanks around it, which are those of Unicode. */
export function trimBlanks(text: string): string {
  return text.replace(BLANKS, '')
}

/** True for an id that `distinctId` cut. */
function isCut(value: unknown, id: string): boolean {
  return typeof value === 'string' && value.length > id.length
}

/** The id an event is stored under, blanks around it included, or undefined when it has none. `digits` is a numeric id as it was written. */
export function distinctId(value: unknown, digits: string | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = asText(value, digits).replaceAll('\0', '\ufffd')
  if (trimBlanks(text) === '') return undefined
  // Characters, not UTF-16 units; most ids are short enough not to be counted.
  return text.length > MAX_CHARACTERS ? Array.from(text).slice(0, MAX_CHARACTERS).join('') : text
}

function asText(value: unknown, digits: string | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && digits !== undefined) return numberText(digits)
  return JSON.stringify(sorted(value))
}

/** A number as the service writes it: 64-bit integers keep their digits, all else is the shortest double. */
function numberText(digits: string): string {
  if (/^-?\d+$/.test(digits) && digits !== '-0') {
    const integer = BigInt(digits)
    if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return digits
  }
  const value = Number(digits)
  if (value === 0) return digits.startsWith('-') ? '-0.0' : '0.0'
  const size = Math.abs(value)
  if (size < 1e-5 || size >= 1e16) return value.toExponential().replace('e+', 'e')
  // JavaScript writes all of this range without an exponent.
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** Keys in order, as the service's maps have them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

/** An event as an ingestion route passes it on to be processed. Times are microseconds since the epoch. */
export interface CapturedEvent {
  readonly uuid: bigint
  readonly event: string
  readonly distinctId: string
  readonly timestamp: bigint
  /** With `$set` and `$set_once` inside. */
  readonly properties: JsonObject
  readonly historical: boolean
  readonly receivedAt: bigint
  /** True if the route takes the event but no person, group or merge of it. */
  readonly personless?: boolean
  /** True if its distinct_id was longer. */
  readonly isCut?: boolean
  /** What it says of its time, where that was ignored, and why. */
  readonly ignoredTime?: { readonly value: unknown; readonly reason: string }
}

export interface EventContext {
  /** A numeric top-level or inner distinct_id as it was written. */
  readonly digits: { readonly top?: string; readonly inner?: string } | undefined
  readonly historical: boolean
  /** The sender's clock, microseconds; and how the service writes it. */
  readonly sentAt: { readonly micros: bigint; readonly text: string } | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The most bytes that an event may have as JSON text inside JSON, the form in which the service passes it on. */
export const MAX_EVENT_BYTES = 1_000_000

/** Applies the rules of /batch/ and its kin to one event. Refusal refuses the whole request; undefined drops it silently. */
export function readEvent(raw: JsonObject, context: EventContext): CapturedEvent | undefined {
  const event = (raw.event as string).replaceAll('\0', '\ufffd')
  if (event === '') throw new Refusal(400, 'event submitted with an empty event name')
  const uuid = readUuid(raw.uuid, context.now)
  const properties = withPersonFields(raw)
  const { top, inner } = context.digits ?? {}
  // Null at the top falls through to properties; an empty string there does too.
  const outer = raw.distinct_id ?? raw.$distinct_id
  const found = distinctId(outer, top) ?? distinctId(properties.distinct_id, inner)
  if (found === undefined) throw new Refusal(400, 'event submitted without a distinct_id')
  const bytes = passedOnBytes(raw, properties)
  if (bytes > MAX_EVENT_BYTES) {
    throw new Refusal(413, `maximum event size exceeded: event of ${bytes} bytes, limit ${MAX_EVENT_BYTES}`)
  }
  const { $cookieless_mode = false, $ignore_sent_at } = properties
  if (typeof $cookieless_mode !== 'boolean') {
    throw new Refusal(400, 'event submitted with invalid cookieless mode')
  }
  if (event === '$performance_event') return undefined
  const { sentAt, now } = context
  const { micros, flaw } = eventTime({
    timestamp: raw.timestamp,
    offset: raw.offset,
    sentAt: $ignore_sent_at === true ? undefined : sentAt?.micros,
    now,
  })
  return {
    uuid,
    event,
    distinctId: found,
    isCut: isCut(outer, found),
    timestamp: micros,
    ...(flaw !== undefined && { ignoredTime: { value: raw.timestamp ?? '', reason: flaw } }),
    properties: sentAt ? { ...properties, $sent_at: sentAt.text } : properties,
    historical: context.historical,
    receivedAt: BigInt(now) * 1000n,
  }
}

function readUuid(value: unknown, now: number): bigint {
  if (typeof value !== 'string' || value === '') return makeUuid(now)
  const uuid = parseUuid(value)
  if (uuid === undefined) {
    throw new Refusal(400, 'failed to hydrate events from request: UUID parsing failed')
  }
  return uuid
}

/** The properties, with a top-level `$set` and `$set_once` moved in as the service does. */
function withPersonFields(raw: JsonObject): JsonObject {
  const properties = (raw.properties ?? {}) as JsonObject
  if (!isJsonObject(raw.$set) && !isJsonObject(raw.$set_once)) return properties
  const moved: Record<string, unknown> = { ...properties }
  for (const field of ['$set', '$set_once']) {
    const inner = properties[field]
    if (isJsonObject(raw[field])) moved[field] = { ...(isJsonObject(inner) ? inner : {}), ...raw[field] }
  }
  return moved
}

/** Bytes of an event as JSON text inside JSON; 0 where a look at its properties shows that they are few. */
export function passedOnBytes(raw: object, properties: JsonObject): number {
  // No character grows more than sixfold in JSON inside JSON; most events need no exact count.
  if (mostCharacters(properties) * 6 < MAX_EVENT_BYTES) return 0
  return Buffer.byteLength(JSON.stringify(JSON.stringify(raw)))
}

/** At least as many characters as a value has as JSON text, escapes aside. It is cheaper than to write the text. */
function mostCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 30
  let sum = 3
  if (Array.isArray(value)) for (const item of value) sum += mostCharacters(item)
  else for (const key in value) sum += key.length + 4 + mostCharacters((value as JsonObject)[key])
  return sum
}
