import { isObject, type JsonObject } from '../json/parse.ts'
import { distinctId } from './distinct-id.ts'
import { Refusal } from './refusal.ts'
import { eventTime } from './time.ts'
import { makeUuid, parseUuid } from './uuid.ts'

/** An event as the store keeps it. Times are microseconds since the epoch. */
export interface StoredEvent {
  readonly uuid: bigint
  readonly event: string
  readonly distinctId: string
  readonly timestamp: bigint
  /** JSON text, with `$set` and `$set_once` inside. */
  readonly properties: string
  readonly historical: boolean
  readonly receivedAt: bigint
  /** False if the event asks not to make or change a person. */
  readonly profile: boolean
  readonly set: string | null
  readonly setOnce: string | null
  readonly groups: string | null
  /** Group types it mentions, in order. */
  readonly groupTypes: readonly string[]
  /** The id that an identity event joins to its distinct_id. */
  readonly joins: string | null
}

export interface EventContext {
  /** A numeric top-level or inner distinct_id as it was written. */
  readonly digits: { readonly top?: string; readonly inner?: string } | undefined
  readonly historical: boolean
  readonly sentAt: number | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The most bytes that an event may have as JSON text inside JSON, the form in which the service passes it on. */
const MAX_EVENT_BYTES = 1_000_000
const IDENTITY_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])

/** Applies the service's rules to one event. Refusal refuses the whole request; undefined drops it silently. */
export function readEvent(raw: JsonObject, context: EventContext): StoredEvent | undefined {
  const event = (raw.event as string).replaceAll('\0', '\ufffd')
  if (event === '') throw new Refusal(400, 'event submitted with an empty event name')
  const uuid = readUuid(raw.uuid, context.now)
  const properties = withPersonFields(raw)
  const { top, inner } = context.digits ?? {}
  // Null at the top falls through to properties; an empty string there does too.
  const found =
    distinctId(raw.distinct_id ?? raw.$distinct_id, top) ?? distinctId(properties.distinct_id, inner)
  if (found === undefined) throw new Refusal(400, 'event submitted without a distinct_id')
  const text = JSON.stringify(properties)
  checkSize(raw, text)
  const profile = properties.$process_person_profile !== false
  if (event === '$performance_event' || (!profile && IDENTITY_EVENTS.has(event))) return undefined
  return {
    uuid,
    event,
    distinctId: found,
    timestamp: eventTime({ timestamp: raw.timestamp, offset: raw.offset, ...context }),
    properties: text,
    historical: context.historical,
    receivedAt: BigInt(context.now) * 1000n,
    profile,
    set: objectText(properties.$set),
    setOnce: objectText(properties.$set_once),
    groups: objectText(properties.$groups),
    groupTypes: groupTypes(event, properties),
    joins: joinedId(event, properties),
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
  if (!isObject(raw.$set) && !isObject(raw.$set_once)) return properties
  const moved: Record<string, unknown> = { ...properties }
  for (const field of ['$set', '$set_once']) {
    const inner = properties[field]
    if (isObject(raw[field])) moved[field] = { ...(isObject(inner) ? inner : {}), ...raw[field] }
  }
  return moved
}

function checkSize(raw: JsonObject, properties: string): void {
  // No character grows more than sixfold in JSON inside JSON; most events need no exact count.
  if (properties.length * 6 < MAX_EVENT_BYTES) return
  const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(raw)))
  if (bytes > MAX_EVENT_BYTES) {
    throw new Refusal(413, `maximum event size exceeded: event of ${bytes} bytes, limit ${MAX_EVENT_BYTES}`)
  }
}

function objectText(value: unknown): string | null {
  return isObject(value) ? JSON.stringify(value) : null
}

function groupTypes(event: string, { $groups, $group_type }: JsonObject): readonly string[] {
  const types = isObject($groups) ? Object.keys($groups) : []
  if (event === '$groupidentify' && typeof $group_type === 'string' && $group_type !== '') {
    return [...types, $group_type]
  }
  return types
}

function joinedId(event: string, properties: JsonObject): string | null {
  if (event === '$identify') return distinctId(properties.$anon_distinct_id, undefined) ?? null
  if (event === '$create_alias' || event === '$merge_dangerously') {
    return distinctId(properties.alias, undefined) ?? null
  }
  return null
}
