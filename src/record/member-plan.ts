import type { ByteWriter } from './byte-writer.ts'
import { copyBytes, copyPiece } from './bytes.ts'
import { type Key, keys } from './keys.ts'
import { FLAG, type Tape } from './tape.ts'

const COMMA = 0x2c

/** A member that keeps its value: its name in the new object, the value's index on the tape, and its rank. */
export interface PlannedMember {
  readonly key: Key
  readonly index: number
  readonly rank: number
}

/**
 * A plan begins with these numbers. The members' keys follow, then its pieces, then what of the members is hardly ever asked
 * for. All are words of one array that holds other plans too: spread over the memory, plans would take longer to read than to
 * do without.
 */
const AT = { members: 0, pieces: 1, literals: 2 } as const
const HEAD = 3
/** Words a piece: the key to write before a value, RUN for none; where its first and its last member are on the tape. */
const PIECE = 2
const RUN: Key = 0
/** Words of the rest of a member: index on the tape, rank. */
const REST = 2
/** Two indexes on the tape are in one word. */
const INDEX_BITS = 16
const INDEX_MASK = (1 << INDEX_BITS) - 1

/**
 * Works out how an object with these members is written, for all records of the shape that the tape's has, which are at most
 * 32,767 members: those that keep their names and are side by side are a run, one piece from the first name to the last value.
 */
export function planOf(members: readonly PlannedMember[], tape: Tape): number[] {
  const isApart = (tape.flags & FLAG.apart) !== 0
  const pieces: number[] = []
  let literals = 0
  for (let i = 0; i < members.length; i++) {
    const { key, index } = members[i]!
    if (isApart || !isOwn(members[i]!, tape)) {
      pieces.push(key, spanOf(index, index))
      literals += keys.sizes[key]! + 1
      continue
    }
    let last = index
    for (; i + 1 < members.length; i++) {
      const next = members[i + 1]!
      if (!isOwn(next, tape) || tape.at(next.index) !== tape.end(last) + 1) break
      last = next.index
    }
    pieces.push(RUN, spanOf(index, last))
  }
  const names = members.map(({ key }) => key)
  const rest = members.flatMap(({ index, rank }) => [index, rank])
  return [members.length, pieces.length / PIECE, literals, ...names, ...pieces, ...rest]
}

function spanOf(first: number, last: number): number {
  return first | (last << INDEX_BITS)
}

function isOwn({ key, index }: PlannedMember, tape: Tape): boolean {
  return tape.key(index) === key && tape.at(index) >= 0
}

/** Members as a plan has them, of the record on a tape. Nothing is copied or looked at before it is asked for. */
export class PlannedMembers {
  /** 0 while there is no plan. */
  count = 0
  /** The record: members are spans of it. */
  bytes: Buffer = Buffer.alloc(0)
  #view = new DataView(this.bytes.buffer, 0, 0)
  #tape: Tape | undefined
  /** What holds the plan, and where. */
  #words: Int32Array = new Int32Array(1)
  #at = 0
  #pieces = 0
  #rest = 0

  /** Takes the plan at `at`; returns where it ends. */
  follow(words: Int32Array, at: number, tape: Tape, bytes: Buffer): number {
    this.count = words[at + AT.members]!
    this.#words = words
    this.#at = at
    this.#tape = tape
    if (bytes !== this.bytes) {
      this.bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    this.#pieces = at + HEAD + this.count
    this.#rest = this.#pieces + words[at + AT.pieces]! * PIECE
    return this.#rest + this.count * REST
  }

  key(number: number): Key {
    return this.#words[this.#at + HEAD + number]!
  }
  /** Index on the tape of the member's value. */
  index(number: number): number {
    return this.#words[this.#rest + number * REST]!
  }
  rank(number: number): number {
    return this.#words[this.#rest + number * REST + 1]!
  }
  /** Where the tape has the whole member as it is to be written, or -1. */
  at(number: number): number {
    const index = this.index(number)
    return this.#tape!.key(index) === this.key(number) ? this.#tape!.at(index) : -1
  }
  /** First byte of the member's value. */
  start(number: number): number {
    return this.#tape!.start(this.index(number))
  }
  end(number: number): number {
    return this.#tape!.end(this.index(number))
  }

  /** Writes the members, each with a comma before it: `,"key":value,"key":value`. */
  write(writer: ByteWriter): void {
    if (this.count === 0) return
    const words = this.#words
    const tape = this.#tape!
    const first = this.#pieces
    const last = this.#rest
    let room = words[this.#at + AT.literals]!
    for (let piece = first; piece < last; piece += PIECE) {
      const span = words[piece + 1]!
      const index = span & INDEX_MASK
      const start = words[piece] === RUN ? tape.at(index) - 1 : tape.start(index)
      room += tape.end(span >> INDEX_BITS) - start
    }
    // Copies write up to three bytes more than they copy.
    writer.ensure(room + 4)
    const { bytes, words: into } = writer
    const { words: spelled, starts, sizes } = keys
    const pool = keys.pool.length
    const source = this.bytes
    const view = this.#view
    let to = writer.length
    for (let piece = first; piece < last; piece += PIECE) {
      const key = words[piece]!
      const span = words[piece + 1]!
      const index = span & INDEX_MASK
      const end = tape.end(span >> INDEX_BITS)
      let start = tape.start(index)
      if (key === RUN) {
        start = tape.at(index)
        bytes[to++] = COMMA
      } else {
        const from = starts[key]!
        to = copyBytes(spelled, pool, from, from + sizes[key]! + 1, into, to)
      }
      to = copyPiece(source, view, start, end, bytes, into, to)
    }
    writer.length = to
  }
}
