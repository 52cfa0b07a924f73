import { decodeText, type IdentitySpan, type Refusal } from '../record/index.ts'

/** Capture V1 drops an event whose name or distinct_id has more bytes. */
const MOST_BYTES = 200

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** Why Capture V1 would drop an event line of this identity; undefined if it would not. */
export function refusalOfV1(
  bytes: Buffer,
  { eventStart, eventEnd, distinctIdEnd }: IdentitySpan,
): Refusal | undefined {
  const idStart = eventEnd + ',"distinct_id":'.length
  if (eventEnd - eventStart === 2) return { reason: 'event_missing', message: 'the event has no name' }
  // An escape is longer than what it is for, so a short spelling is a short text.
  if (eventEnd - eventStart - 2 > MOST_BYTES) {
    const length = Buffer.byteLength(decodeText(bytes, eventStart + 1, eventEnd - 1, true))
    if (length > MOST_BYTES) return tooLong('event_name_too_long', 'the name', length)
  }
  if (distinctIdEnd - idStart - 2 > MOST_BYTES) {
    const length = Buffer.byteLength(decodeText(bytes, idStart + 1, distinctIdEnd - 1, true))
    if (length > MOST_BYTES) return tooLong('distinct_id_too_long', 'distinct_id', length)
  }
  const first = bytes[idStart + 1]!
  if (first > 0x20 && first < 0x7f && first !== QUOTE && first !== BACKSLASH) return undefined
  if (decodeText(bytes, idStart + 1, distinctIdEnd - 1, true).trim() !== '') return undefined
  return { reason: 'distinct_id_missing', message: 'distinct_id is missing or blank' }
}

function tooLong(reason: string, what: string, length: number): Refusal {
  const message = `${what} has ${length} bytes, and Capture V1 drops what has over ${MOST_BYTES}; --via batch takes it`
  return { reason, message }
}
