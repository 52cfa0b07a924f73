import type { ByteWriter } from '../../record/byte-writer.ts'
import { mixed } from '../../record/bytes.ts'
import { readPerson } from '../../record/fingerprint.ts'
import { AFTER_EVENT, type IdentitySpan, readIdentity, uuidOffset } from '../../record/head.ts'
import { readUuidView } from '../../record/uuid.ts'
import type { WrittenBytes } from '../work-file.ts'

/**
 * A run file holds sorted event lines between mapping and sealing, and an index beside them. What decides over a line is
 * in its entry, so lines are only copied: many that follow each other at once.
 *
 * A segment is a day's part of a run: its lines, each with its line end, then an entry for each line, in the same order:
 *
 *     instant   8 bytes  double, microseconds
 *     seq       8 bytes  double: the record's place in the whole input (see `sequence`)
 *     uuid     16 bytes
 *     identity  8 bytes  a hash of event and distinct_id
 *     name      8 bytes  a hash of the event alone
 *     person    8 bytes  the hash of the distinct_id that its fingerprint is made of
 *     length    4 bytes  of the line, with its line end
 *     kind      4 bytes  KINDS below in two bits, and 30 bits of a hash of the whole line (see `readKindWord`);
 *                        0 for kind `content`
 *
 * Lines are ordered by (instant, seq, kind, uuid): time first, then the input's order, and events generated from a record
 * before the record's own. Only events of several groups of one record are told apart by their uuids. Little endian, as
 * are all machines that Node runs on.
 */
export const ENTRY_BYTES = 64

/** Words of 32 bits in an entry, and doubles. */
export const ENTRY_WORDS = ENTRY_BYTES / 4
export const ENTRY_DOUBLES = ENTRY_BYTES / 8

/** Where in an entry the uuid begins, by words. Identity, name and person follow it: see `readLineKey`. */
export const KEY_WORD = 4
export const NAME_WORD = 10
export const PERSON_WORD = 12
export const LENGTH_WORD = 14
export const KIND_WORD = 15

/** Entries in memory, one after the other. */
export interface Entries {
  readonly words: Uint32Array
  /** The same bytes. */
  readonly doubles: Float64Array
}

/** What a line is; the numbers order lines of one record. */
export const KINDS = { identify: 0, group: 1, own: 2, content: 3 } as const
export type LineKind = (typeof KINDS)[keyof typeof KINDS]

const KIND_BITS = 3

export function lineKind(words: Uint32Array, at: number): LineKind {
  return (words[at + KIND_WORD]! & KIND_BITS) as LineKind
}

/** A word for all of an entry's line, by its hash and length, which is odd. Two lines that differ have the same one once in 2^30 pairs. */
export function lineContent(words: Uint32Array, at: number): number {
  return (mixed((words[at + KIND_WORD]! >>> 2) ^ Math.imul(words[at + LENGTH_WORD]!, 0x61c88647)) | 1) >>> 0
}

const UNIT = 2 ** 33

/** The place of a record in the whole input: units in order, then records in order. */
export function sequence(unit: number, index: number): number {
  return unit * UNIT + index
}

/**
 * The place after all records of its instant, for an event that gives way: of equal events the first is written. Half of
 * the whole numbers that a double has are for these.
 */
export function afterAll(seq: number): number {
  return seq + 2 ** 52
}

/** A day's lines and index in a run file. */
export interface Segment extends WrittenBytes {
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number
  readonly events: number
  /** The CRC-32 of the lines, without the index. The index alone is checked by going on from it to `crc`. */
  readonly linesCrc: number
  /** True when the file holds nothing else: it is removed once the segment is sealed. */
  readonly alone: boolean
}

export function linesBytes({ bytes, events }: Pick<Segment, 'bytes' | 'events'>): number {
  return bytes - events * ENTRY_BYTES
}

const UUID_WORDS = 4
const HASH_WORDS = 2

const span: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }
const person = { start: 0, end: 0 }

/**
 * Reads what tells the event line apart that begins at `start` and is the writer's last one, into ten of `into`, from `at`
 * on: its uuid in four, as `readUuidBytes` has it, a hash of event and distinct_id in two, a hash of the event alone in two, and
 * that of `readPerson` in two. Throws an Error for a line that is no event.
 */
export function readLineKey(
  { bytes, words, length }: Pick<ByteWriter, 'bytes' | 'words' | 'length'>,
  start: number,
  into: Uint32Array,
  at: number,
): void {
  if (!readIdentity(bytes, start, length, span)) throw new Error('a line of a run is no event')
  const identity = at + UUID_WORDS
  const name = identity + HASH_WORDS
  readUuidView(words, uuidOffset(start), into, at)
  hashed[0] = 0x2545f491
  hashed[1] = 0x61c88647
  hashSpan(words, span.eventStart, span.eventEnd)
  into[name] = hashed[0]
  into[name + 1] = hashed[1]
  hashSpan(words, span.eventEnd, span.distinctIdEnd)
  into[identity] = hashed[0]
  into[identity + 1] = hashed[1]
  person.start = span.eventEnd + AFTER_EVENT
  person.end = span.distinctIdEnd
  readPerson(bytes, words, person, into, name + HASH_WORDS)
}

/** The word of an entry that has the kind of the line that begins at `start` and is the writer's last one, and a hash of it. */
export function readKindWord(
  { words, length }: Pick<ByteWriter, 'words' | 'length'>,
  start: number,
  kind: LineKind,
): number {
  // Two sums that don't wait for each other: this is done for every line.
  let one = 0x2545f491
  let other = 0x61c88647
  let i = start
  for (; i + 8 <= length; i += 8) {
    one = Math.imul(one ^ words.getInt32(i, true), 0x85ebca6b)
    other = Math.imul(other ^ words.getInt32(i + 4, true), 0xc2b2ae35)
    one ^= one >>> 15
    other ^= other >>> 13
  }
  for (; i < length; i++) one = Math.imul(one ^ words.getUint8(i), 0x85ebca6b)
  return (mixed(one ^ Math.imul(other, 0x27d4eb2f)) & ~KIND_BITS) | kind
}

/** A hash of 64 bits. */
const hashed = new Uint32Array(2)

/** Goes on with the hash that is in `hashed`. */
function hashSpan(words: DataView, start: number, end: number): void {
  let one = hashed[0]! | 0
  let other = hashed[1]! | 0
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
  hashed[0] = mixed(one ^ rest)
  hashed[1] = mixed(Math.imul(other + rest, 0x27d4eb2f))
}

/**
 * Words of 32 bits that a segment takes: its piece, the number of its file, offset, bytes, the two checksums, twice its events
 * and whether it is alone, and the segment of the same day that was added before it. Segments are in blocks.
 */
const WORDS = 8
const BLOCK = 4096
const NONE = 0xffff_ffff

/**
 * The segments of a whole transform, by day. Each piece of the work has one for every day it met, so a history of 3,000 days
 * has half a million: as objects they take 160 bytes each, here 32.
 */
export class SegmentTable {
  bytes = 0
  readonly #blocks: Uint32Array[] = []
  #count = 0
  /** Names of files. Those that follow each other are mostly the same. */
  readonly #files: string[] = []
  readonly #days = new Map<number, { events: number; last: number }>()

  /** Adds the segments of a piece. Each piece once, in any order: its number is its place among the others. */
  add(piece: number, segments: readonly Segment[]): void {
    for (const segment of segments) this.#addOne(piece, segment)
  }

  /** All days, in order. */
  get days(): number[] {
    return [...this.#days.keys()].sort((a, b) => a - b)
  }

  eventsOf(day: number): number {
    return this.#days.get(day)?.events ?? 0
  }

  /** A day's segments: those of the first piece first, each piece's in its own order. */
  of(day: number): Segment[] {
    const found: { readonly piece: number; readonly segment: Segment }[] = []
    for (let row = this.#days.get(day)?.last ?? NONE; row !== NONE; ) {
      const words = this.#blocks[Math.floor(row / BLOCK)]!
      const at = (row % BLOCK) * WORDS
      const doubled = words[at + 6]!
      const segment = {
        day,
        file: this.#files[words[at + 1]!]!,
        offset: words[at + 2]!,
        bytes: words[at + 3]!,
        crc: words[at + 4]!,
        linesCrc: words[at + 5]!,
        events: doubled >>> 1,
        alone: (doubled & 1) === 1,
      }
      found.push({ piece: words[at]!, segment })
      row = words[at + 7]!
    }
    // They were found from the last to the first, and the sort keeps the order of those of one piece.
    return found
      .reverse()
      .sort((a, b) => a.piece - b.piece)
      .map(({ segment }) => segment)
  }

  #addOne(piece: number, { day, file, offset, bytes, crc, linesCrc, events, alone }: Segment): void {
    const known = this.#days.get(day)
    if (this.#files.at(-1) !== file) this.#files.push(file)
    const row = this.#count++
    if (row % BLOCK === 0) this.#blocks.push(new Uint32Array(BLOCK * WORDS))
    // A run is of 8 MiB and a line, and has no more than 32,768 lines: sizes and the doubled number of events fit into a word.
    const words = this.#blocks.at(-1)!
    const at = (row % BLOCK) * WORDS
    words[at] = piece
    words[at + 1] = this.#files.length - 1
    words[at + 2] = offset
    words[at + 3] = bytes
    words[at + 4] = crc
    words[at + 5] = linesCrc
    words[at + 6] = 2 * events + (alone ? 1 : 0)
    words[at + 7] = known?.last ?? NONE
    this.#days.set(day, { events: (known?.events ?? 0) + events, last: row })
    this.bytes += bytes
  }
}
