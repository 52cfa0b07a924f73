import {
  type ByteWriter,
  type IdentitySpan,
  mixed,
  readIdentity,
  readUuidView,
  uuidOffset,
} from '../../record/index.ts'

const UUID_WORDS = 4
const HASH_WORDS = 2

const span: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }

/**
 * Reads what tells the event line apart that begins at `start` and is the writer's last one, into eight of `into`, from `at`
 * on: its uuid in four, as `readUuidBytes` has it, a hash of event and distinct_id in two, and a hash of the event alone in
 * two. Throws an Error for a line that is no event.
 */
export function readLineKey(
  { bytes, words, length }: ByteWriter,
  start: number,
  into: Uint32Array,
  at: number,
): void {
  if (!readIdentity(bytes, start, length, span)) throw new Error('a line of a run is no event')
  const identity = at + UUID_WORDS
  const name = identity + HASH_WORDS
  readUuidView(words, uuidOffset(start), into, at)
  into[name] = 0x2545f491
  into[name + 1] = 0x61c88647
  hashSpan(words, span.eventStart, span.eventEnd, into, name)
  into[identity] = into[name]!
  into[identity + 1] = into[name + 1]!
  hashSpan(words, span.eventEnd, span.distinctIdEnd, into, identity)
}

/** Goes on with the hash of 64 bits that is in two words. */
function hashSpan(words: DataView, start: number, end: number, into: Uint32Array, at: number): void {
  let one = into[at]! | 0
  let other = into[at + 1]! | 0
  let i = start
  for (; i + 4 <= end; i += 4) {
    const word = words.getInt32(i, true)
    one = Math.imul(one ^ word, 0x85ebca6b)
    one ^= one >>> 15
    other = Math.imul(other + word, 0xc2b2ae35)
    other ^= other >>> 13
  }
  // The number of bytes left is hashed too: three zero bytes differ from two.
  let rest = end - i
  for (; i < end; i++) rest = (rest << 8) | words.getUint8(i)
  into[at] = mixed(one ^ rest)
  into[at + 1] = mixed(Math.imul(other + rest, 0x27d4eb2f))
}
