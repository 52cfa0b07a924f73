import { MICROS_PER_SECOND, SECONDS_PER_DAY } from '../text/units.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Id } from './id.ts'
import type { Members } from './members.ts'
import { spelledText } from './text.ts'
import { daysFromCivil, writeInstant } from './time.ts'
import { type UuidWords, writeUuid } from './uuid.ts'

// Every event line begins alike, so that later stages sort, split and dedupe without parsing JSON:
//
//     {"uuid":"<36>","timestamp":"2024-03-01T12:34:56.789123Z","event":"$pageview","distinct_id":"u1","properties":{
//     0        9               60                            97 the event's opening quote
const UUID_AT = 9
const TIMESTAMP_AT = 60
const EVENT_AT = 97
export const AFTER_EVENT = ',"distinct_id":'.length
const CLOSE = 0x7d
const MARKS = Buffer.from('--T::.Z')
const MARK_AT = [4, 7, 10, 13, 16, 19, 26]

/** The fixed text between an event line's values, each padded by a word so that copyBytes can copy it whole. */
const HEAD = ByteWriter.of(`{"uuid":"${'-'.repeat(36)}","timestamp":"${'-'.repeat(27)}","event":`)
const DISTINCT_ID = ByteWriter.of(',"distinct_id":')
const PROPERTIES = ByteWriter.of(',"properties":{"distinct_id":')

interface EventParts {
  readonly uuid: UuidWords
  /** Microseconds. */
  readonly instant: number
  /** The name, or its JSON. */
  readonly event: ByteWriter | string
  readonly distinctId: Id | string
  readonly properties: Members
  /** Further properties as they are written, each after a comma. */
  readonly tail?: ByteWriter | undefined
}

/** Writes one event line, without a line end. */
export function writeEvent(
  writer: ByteWriter,
  { uuid, instant, event, distinctId, properties, tail }: EventParts,
): void {
  const start = writer.length
  writer.append(HEAD)
  writeUuid(writer.words, start + UUID_AT, uuid)
  writeInstant(writer.bytes, start + TIMESTAMP_AT, instant)
  if (typeof event === 'string') writer.json(event)
  else writer.append(event)
  writer.append(DISTINCT_ID)
  const idStart = writer.length
  if (typeof distinctId === 'string') writer.json(distinctId)
  else distinctId.write(writer)
  const idEnd = writer.length
  writer.append(PROPERTIES)
  writer.copyFrom(writer, idStart, idEnd)
  properties.write(writer)
  if (tail) writer.append(tail)
  writer.byte(CLOSE)
  writer.byte(CLOSE)
}

/** Spans and time of an event line's head. Event and distinct_id include their quotes. */
export interface Head {
  instant: number
  eventStart: number
  eventEnd: number
  distinctIdStart: number
  distinctIdEnd: number
}

/** An empty head, to be filled. */
export function newHead(): Head {
  return { instant: 0, eventStart: 0, eventEnd: 0, distinctIdStart: 0, distinctIdEnd: 0 }
}

/** Reads the head of a line that `writeEvent` wrote, into `head` when one is given; undefined for any other line. */
export function readHead(bytes: Buffer, start: number, end: number, head = newHead()): Head | undefined {
  const eventStart = start + EVENT_AT
  if (
    end <= eventStart + AFTER_EVENT ||
    bytes[eventStart] !== 0x22 ||
    !startsWith(bytes, start, '{"uuid":"')
  ) {
    return undefined
  }
  if (!startsWith(bytes, start + UUID_AT + 36, '","timestamp":"')) return undefined
  const instant = readInstant(bytes, start + TIMESTAMP_AT)
  const eventEnd = stringEnd(bytes, eventStart, end)
  if (Number.isNaN(instant) || eventEnd < 0 || !startsWith(bytes, eventEnd, ',"distinct_id":"'))
    return undefined
  const distinctIdStart = eventEnd + AFTER_EVENT
  const distinctIdEnd = stringEnd(bytes, distinctIdStart, end)
  if (distinctIdEnd < 0) return undefined
  head.instant = instant
  head.eventStart = eventStart
  head.eventEnd = eventEnd
  head.distinctIdStart = distinctIdStart
  head.distinctIdEnd = distinctIdEnd
  return head
}

/** Reads the span of an event line's identity, which with the uuid tells events apart; false for other lines. */
export function readIdentity(bytes: Buffer, start: number, end: number, into: IdentitySpan): boolean {
  const eventStart = start + EVENT_AT
  const eventEnd = stringEnd(bytes, eventStart, end)
  const distinctIdEnd = eventEnd < 0 ? -1 : stringEnd(bytes, eventEnd + AFTER_EVENT, end)
  into.eventStart = eventStart
  into.eventEnd = eventEnd
  into.distinctIdEnd = distinctIdEnd
  return distinctIdEnd >= 0
}

/** The span of an event line's identity, from the event's opening quote to the end of distinct_id; reused. */
export interface IdentitySpan {
  eventStart: number
  eventEnd: number
  distinctIdEnd: number
}

/** The uuid of an event line, canonical text. */
export function headUuid(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', start + UUID_AT, start + UUID_AT + 36)
}

export function headName(line: Buffer, { eventStart, eventEnd }: Head): string {
  return spelledText(line, eventStart + 1, eventEnd - 1)
}

export function headId(line: Buffer, { distinctIdStart, distinctIdEnd }: Head): string {
  return spelledText(line, distinctIdStart + 1, distinctIdEnd - 1)
}

/** Index of the uuid's first byte in a line that begins at `start`. */
export function uuidOffset(start: number): number {
  return start + UUID_AT
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** Index after the closing quote of the JSON string at `at`, or -1. */
function stringEnd(bytes: Buffer, at: number, end: number): number {
  for (let i = at + 1; i < end; i++) {
    if (bytes[i] === 0x22) return i + 1
    if (bytes[i] === 0x5c) i++
  }
  return -1
}

/**
 * Microseconds since the epoch of 27 characters `2024-03-01T12:34:56.789123Z`; NaN when they are no instant: what this
 * takes for a time, both routes of the service store as that time.
 */
function readInstant(bytes: Buffer, at: number): number {
  const days = daysFromCivil(digits(bytes, at, 4), digits(bytes, at + 5, 2), digits(bytes, at + 8, 2))
  const hour = digits(bytes, at + 11, 2)
  const minute = digits(bytes, at + 14, 2)
  const second = digits(bytes, at + 17, 2)
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  for (let i = 0; i < MARKS.length; i++) if (bytes[at + MARK_AT[i]!] !== MARKS[i]) return Number.NaN
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second
  return seconds * MICROS_PER_SECOND + digits(bytes, at + 20, 6)
}

function digits(bytes: Buffer, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = bytes[i]! - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
