import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ByteWriter } from '../../record/byte-writer.ts'
import { dayOf } from '../../record/time.ts'
import { compareUuids } from '../../record/uuid.ts'
import { KIB, MIB, MICROS_PER_DAY } from '../../text/units.ts'
import {
  ENTRY_BYTES,
  ENTRY_DOUBLES,
  ENTRY_WORDS,
  type Entries,
  KEY_WORD,
  KIND_WORD,
  KINDS,
  LENGTH_WORD,
  type LineKind,
  lineKind,
  readKindWord,
  readLineKey,
  type Segment,
} from './frame.ts'

/** Lines in memory at most: the number of one has 15 bits. */
export const MOST_LINES = 2 ** 15

/**
 * The lines of one day in order, given by their numbers: line n has the nth entry.
 *
 * A microsecond of the day has 37 bits and a number 15: both are in one double, and doubles are sorted in a third of the
 * time that a comparator takes. What is left is to sort the lines of one instant: they nearly always came in order.
 */
function inOrder(day: number, lines: readonly number[], { doubles, words }: Entries): Uint32Array {
  const midnight = day * MICROS_PER_DAY
  const instantOf = (line: number) => doubles[line * ENTRY_DOUBLES]!
  const keys = new Float64Array(lines.length)
  // Instants are whole microseconds. A fraction would reach into the number, and lose a line.
  for (let i = 0; i < keys.length; i++)
    keys[i] = Math.floor(instantOf(lines[i]!) - midnight) * MOST_LINES + lines[i]!
  keys.sort()
  const order = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! - Math.floor(keys[i]! / MOST_LINES) * MOST_LINES
  const seqOf = (line: number) => doubles[line * ENTRY_DOUBLES + 1]!
  const kindAt = (line: number) => lineKind(words, line * ENTRY_WORDS)
  const uuidAt = (line: number) => line * ENTRY_WORDS + KEY_WORD
  const compare = (a: number, b: number) =>
    seqOf(a) - seqOf(b) || kindAt(a) - kindAt(b) || compareUuids(words, uuidAt(a), words, uuidAt(b))
  for (let from = 0, to = 0; from < order.length; from = to) {
    let sorted = true
    for (to = from + 1; to < order.length && instantOf(order[to]!) === instantOf(order[from]!); to++) {
      sorted &&= compare(order[to - 1]!, order[to]!) <= 0
    }
    if (!sorted) order.subarray(from, to).sort(compare)
  }
  return order
}

const LF = 0x0a

/** Event lines held in memory before they are sorted and written as a run. */
const RUN_BYTES = 8 * MIB

/** A day with this many bytes in a run has a file of its own, which is removed once the day is sealed. */
const ALONE_BYTES = MIB

/** Lines in memory, where each is, and their index: some megabytes that each writer of a worker uses again. */
export class FrameTable implements Entries {
  readonly lines = new ByteWriter()
  readonly doubles = new Float64Array(MOST_LINES * ENTRY_DOUBLES)
  readonly words = new Uint32Array(this.doubles.buffer)
  readonly bytes = Buffer.from(this.doubles.buffer)
  /** Where each line begins; the last entry is where the next one will. */
  readonly starts = new Uint32Array(MOST_LINES + 1)
}

/** Collects event lines in any order and writes them as sorted run files. */
export class RunWriter {
  /** Lines are appended here, each closed by `add`. */
  readonly lines: ByteWriter
  readonly segments: Segment[] = []
  readonly #folder: string | undefined
  readonly #name: string
  #runs = 0
  #count = 0
  readonly #table: FrameTable

  /**
   * `name` is unique among the writers of a folder. Without a folder the lines are dropped. Only one writer at a time has
   * the table.
   */
  constructor(folder: string | undefined, name: string, table = new FrameTable()) {
    this.#table = table
    this.#folder = folder
    this.#name = name
    this.lines = table.lines
    this.#clear()
  }

  /** Takes what was appended to `lines` since the last call as one event line. Returns where its entry is in the table. */
  add(instant: number, seq: number, kind: LineKind): number {
    const { lines } = this
    const { doubles, words, starts } = this.#table
    const number = this.#count++
    const start = starts[number]!
    const at = number * ENTRY_WORDS
    doubles[number * ENTRY_DOUBLES] = instant
    doubles[number * ENTRY_DOUBLES + 1] = seq
    readLineKey(lines, start, words, at + KEY_WORD)
    // The uuid of a record without an id is made of all of it: nobody asks whether two of them differ.
    words[at + KIND_WORD] = kind === KINDS.content ? kind : readKindWord(lines, start, kind)
    lines.byte(LF)
    words[at + LENGTH_WORD] = lines.length - start
    starts[number + 1] = lines.length
    if (lines.length >= RUN_BYTES || this.#count === MOST_LINES) this.flush()
    return at
  }

  /** Writes what is held as a run; call it at the end too. The file survives a kill, no power cut: see journal.ts. */
  flush(): void {
    if (this.#count > 0 && this.#folder !== undefined) this.#writeRun(this.#folder)
    this.#clear()
  }

  #clear(): void {
    this.#count = 0
    this.lines.length = 0
  }

  #writeRun(folder: string): void {
    const name = `${this.#name}-${this.#runs++}`
    // All of the index comes first: what is held of a file is after all that is in `lines`.
    let index = this.lines.length
    const days = this.#byDay().map(([day, lines]) => ({ day, order: inOrder(day, lines, this.#table) }))
    for (const { order } of days) this.#appendEntries(order)
    const shared = new SortedRunFile(folder, `${name}.run`, this.lines)
    for (const { day, order } of days) {
      const events = order.length
      const bytes = this.#bytesOf(order) + events * ENTRY_BYTES
      const alone = bytes >= ALONE_BYTES
      const file = alone ? new SortedRunFile(folder, `${name}-${day}.run`, this.lines) : shared
      if (alone) shared.drain()
      const offset = file.length
      this.#addLines(file, order)
      const linesCrc = file.crc
      file.add(index, index + events * ENTRY_BYTES)
      index += events * ENTRY_BYTES
      const crc = file.takeCrc()
      this.segments.push({ day, file: file.name, offset, bytes, crc, linesCrc, events, alone })
      if (alone) file.close()
    }
    shared.close()
  }

  /** The numbers of each day's lines, the days in order. */
  #byDay(): Array<[number, number[]]> {
    const days = new Map<number, number[]>()
    for (let line = 0; line < this.#count; line++) {
      const day = dayOf(this.#table.doubles[line * ENTRY_DOUBLES]!)
      const lines = days.get(day)
      if (lines) lines.push(line)
      else days.set(day, [line])
    }
    return [...days].sort(([a], [b]) => a - b)
  }

  /** Apart from `#writeRun`: this loop would make all of that hot, to be compiled again and again with what it calls. */
  #bytesOf(order: Uint32Array): number {
    const { starts } = this.#table
    let bytes = 0
    for (const line of order) bytes += starts[line + 1]! - starts[line]!
    return bytes
  }

  /** Appends entries to `lines` in this order. */
  #appendEntries(order: Uint32Array): void {
    for (let i = 0; i < order.length; ) {
      const first = order[i]!
      let next = first + 1
      while (++i < order.length && order[i] === next) next++
      this.lines.copy(this.#table.bytes, first * ENTRY_BYTES, next * ENTRY_BYTES)
    }
  }

  /** Adds lines in this order: those that follow each other in `lines` too, as one piece. */
  #addLines(file: SortedRunFile, order: Uint32Array): void {
    const { starts } = this.#table
    for (let i = 0; i < order.length; ) {
      const first = order[i]!
      let next = first + 1
      while (++i < order.length && order[i] === next) next++
      file.add(starts[first]!, starts[next]!)
    }
  }
}

const CHUNK_BYTES = MIB
/** Stretches of this many bytes are written from where they are; shorter ones are gathered first. */
const STRETCH_BYTES = 128 * KIB

/**
 * A run file under way, which takes stretches of the bytes in `room`. Those gathered are held after the room's own bytes,
 * which stay as they are: copying within one buffer takes half the time of copying between two. Only one file at a time
 * has bytes there: it is drained before another one is written to.
 */
class SortedRunFile {
  readonly name: string
  length = 0
  readonly #path: string
  readonly #room: ByteWriter
  #held = 0
  /** Of what is held, the bytes that are in the checksum. */
  #summed = 0
  #crc = 0
  #fd: number | undefined

  constructor(folder: string, name: string, room: ByteWriter) {
    this.name = name
    this.#path = join(folder, name)
    this.#room = room
  }

  add(from: number, to: number): void {
    const size = to - from
    this.length += size
    if (size >= STRETCH_BYTES) {
      this.drain()
      this.#crc = crc32(this.#room.bytes.subarray(from, to), this.#crc)
      this.#write(from, to)
      return
    }
    if (this.#held + size > CHUNK_BYTES) this.drain()
    // Growing copies only the room's own bytes, so it must happen while nothing is held after them.
    if (this.#held === 0) this.#room.ensure(CHUNK_BYTES)
    const { bytes, length } = this.#room
    bytes.copyWithin(length + this.#held, from, to)
    this.#held += size
  }

  drain(): void {
    if (this.#held === 0) return
    this.#sum()
    const { length } = this.#room
    this.#write(length, length + this.#held)
    this.#held = 0
    this.#summed = 0
  }

  /** The CRC-32 of the bytes since `takeCrc` was called. */
  get crc(): number {
    this.#sum()
    return this.#crc
  }

  takeCrc(): number {
    const { crc } = this
    this.#crc = 0
    return crc
  }

  close(): void {
    this.drain()
    if (this.#fd !== undefined) closeSync(this.#fd)
  }

  #sum(): void {
    const { bytes, length } = this.#room
    this.#crc = crc32(bytes.subarray(length + this.#summed, length + this.#held), this.#crc)
    this.#summed = this.#held
  }

  #write(from: number, to: number): void {
    this.#fd ??= openSync(this.#path, 'w')
    const { bytes } = this.#room
    for (let at = from; at < to; ) at += writeSync(this.#fd, bytes, at, to - at)
  }
}
