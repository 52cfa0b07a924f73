import { randomUUID } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { MAX_LINE_BYTES } from '../record/lines.ts'
import { GROUP_EVENT, groupSender } from '../record/rules.ts'
import { parseTime } from '../record/time.ts'
import { canonicalUuid, POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import { isJsonObject } from '../text/json.ts'
import { jsonTextOf } from './json-text.ts'

/** Properties of an event, a person or a group: all values that JSON has, bigints and values with `toJSON` too. */
export type Properties = Readonly<Record<string, unknown>>

/** An instant: a Date, or RFC 3339 text with `Z` or an offset, whose microseconds are kept. */
export type Instant = Date | string

/** One event of the past. */
export interface HistoricalEvent {
  readonly distinctId: string
  readonly event: string
  readonly properties?: Properties | undefined
  readonly timestamp: Instant
  /**
   * The event's own id: two with one id are one event. Without it each call is an event of its own. Give one where the
   * program may read its source again, such as `uuidOf('orders', row.id)`.
   */
  readonly uuid?: string | undefined
}

/** What a group is called, and its properties. */
export interface HistoricalGroup {
  readonly type: string
  readonly key: string
  readonly properties?: Properties | undefined
  /** When it was so. Default: now. A group shows on events from its type's oldest event on, so give the oldest. */
  readonly timestamp?: Instant | undefined
  readonly uuid?: string | undefined
}

/** A person's properties, and the anonymous id that they had before. */
export interface HistoricalPerson {
  readonly distinctId: string
  readonly anonymousId?: string | undefined
  readonly set?: Properties | undefined
  /** Set only where the person has no such property yet. */
  readonly setOnce?: Properties | undefined
  /** Default: now. */
  readonly timestamp?: Instant | undefined
  readonly uuid?: string | undefined
}

const UNFIT = { code: 'input', fate: 'reject' } as const

/** Text whose zone is said: a wall clock's time could be anywhere's. */
const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|UTC|[+-]\d\d(?::?\d\d)?)$/i

/**
 * A uuid that is the same whenever the same parts are given: for `uuid`, from what tells a source's records apart. Code `input`
 * for no part, and for one that is missing: all records without an id would be one event.
 */
export function uuidOf(...parts: ReadonlyArray<string | number | bigint>): string {
  // A program in plain JavaScript can give anything, such as the id that a row does not have.
  const isExact = (part: unknown) =>
    Number.isFinite(part) && Math.abs(Number(part)) <= Number.MAX_SAFE_INTEGER
  const tellsApart = (part: unknown) => ['string', 'bigint'].includes(typeof part) || isExact(part)
  if (parts.length === 0 || !parts.every(tellsApart))
    throw new PosthaulError(
      'uuidOf needs what tells the record apart: texts, bigints, or numbers up to 2^53',
      UNFIT,
    )
  return uuidV5(POSTHAUL_NAMESPACE, jsonTextOf(['program', ...parts.map(String)], 'parts'))
}

/** The line of an event in the service's own form, with its line end. Code `input` names what can't be sent. */
export function eventLine(given: HistoricalEvent): Buffer {
  assertMembers(given, 'the event', ['distinctId', 'event', 'properties', 'timestamp', 'uuid'])
  const { distinctId, event, properties = {}, timestamp, uuid } = given
  const text = jsonTextOf(checked(properties, 'properties'), 'properties')
  // A toJSON can make anything of it.
  if (!text.startsWith('{')) throw notAnObject('properties')
  const line = [
    `{"uuid":"${uuidFrom(uuid)}"`,
    `"event":${jsonTextOf(textOf(event, 'event'), 'event')}`,
    `"distinct_id":${jsonTextOf(textOf(distinctId, 'distinctId'), 'distinctId')}`,
    `"timestamp":"${instantOf(timestamp)}"`,
    `"properties":${text}}\n`,
  ]
  const bytes = Buffer.from(line.join(','))
  if (bytes.length <= MAX_LINE_BYTES) return bytes
  throw new PosthaulError(
    `the event has ${bytes.length} bytes, and no line may have over ${MAX_LINE_BYTES}`,
    UNFIT,
  )
}

/** The line of the event that gives a group its properties. */
export function groupLine(given: HistoricalGroup): Buffer {
  assertMembers(given, 'the group', ['type', 'key', 'properties', 'timestamp', 'uuid'])
  const { type, key, properties = {}, timestamp = new Date(), uuid } = given
  return eventLine({
    event: GROUP_EVENT,
    distinctId: groupSender(textOf(type, 'type'), textOf(key, 'key')),
    properties: { $group_type: type, $group_key: key, $group_set: checked(properties, 'properties') },
    timestamp,
    uuid,
  })
}

/** The line of the event that gives a person their properties, and links an anonymous id to them. */
export function personLine(given: HistoricalPerson): Buffer {
  assertMembers(given, 'the person', ['distinctId', 'anonymousId', 'set', 'setOnce', 'timestamp', 'uuid'])
  const { distinctId, anonymousId, set, setOnce, timestamp = new Date(), uuid } = given
  const $anon_distinct_id = anonymousId === undefined ? undefined : textOf(anonymousId, 'anonymousId')
  return eventLine({
    event: $anon_distinct_id === undefined ? '$set' : '$identify',
    distinctId,
    properties: {
      $anon_distinct_id,
      $set: set && checked(set, 'set'),
      $set_once: setOnce && checked(setOnce, 'setOnce'),
    },
    timestamp,
    uuid,
  })
}

/** Other clients of PostHog take more: what is not known here would be lost without a word. */
function assertMembers<T>(value: T, name: string, members: ReadonlyArray<keyof T>): void {
  if (typeof value !== 'object' || value === null) throw new PosthaulError(`${name} is no object`, UNFIT)
  const known: readonly PropertyKey[] = members
  const [other] = Object.entries(value).find(([key, one]) => one !== undefined && !known.includes(key)) ?? []
  if (other === undefined) return
  throw new PosthaulError(`${name} has ${JSON.stringify(other)}, which is no member of it`, {
    ...UNFIT,
    hint: `its members are ${known.join(', ')}; groups of an event go into its properties, as $groups, and what it sets as $set`,
  })
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  const what = value === undefined ? 'missing' : typeof value === 'string' ? 'blank' : 'no text'
  throw new PosthaulError(`${name} is ${what}`, UNFIT)
}

function checked(value: Properties, name: string): Properties {
  if (isJsonObject(value)) return value
  throw notAnObject(name)
}

function notAnObject(name: string): PosthaulError {
  return new PosthaulError(`${name}: expected an object`, UNFIT)
}

function uuidFrom(given: unknown): string {
  if (given === undefined) return randomUUID()
  const uuid = typeof given === 'string' ? canonicalUuid(given) : undefined
  if (uuid !== undefined) return uuid
  throw new PosthaulError('uuid is no UUID', { ...UNFIT, hint: 'make one of any id with uuidOf' })
}

function instantOf(given: unknown): string {
  if (given instanceof Date) {
    if (Number.isNaN(given.getTime())) throw new PosthaulError('timestamp is an invalid date', UNFIT)
    // A year before 0 or after 9999 has more digits than a time may have.
    return readable(given.toISOString())
  }
  if (typeof given !== 'string') {
    const what = given === undefined ? 'missing' : 'neither a Date nor text'
    throw new PosthaulError(`timestamp is ${what}`, {
      ...UNFIT,
      hint: 'give a Date, or 2023-05-01T12:00:00Z',
    })
  }
  if (!ZONED.test(given)) {
    throw new PosthaulError(`timestamp is "${given.slice(0, 40)}": expected a time with its zone`, {
      ...UNFIT,
      hint: 'write it like 2023-05-01T12:00:00Z or 2023-05-01T12:00:00.000001+02:00',
    })
  }
  return readable(given)
}

function readable(time: string): string {
  try {
    parseTime(time)
    return time
  } catch (cause) {
    throw new PosthaulError(`timestamp: ${(cause as Error).message}`, { ...UNFIT, cause })
  }
}
