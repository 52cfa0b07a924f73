import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { GroupState } from '../mapping/joined-groups.ts'
import type { Link } from '../mapping/mapped.ts'
import { hashBytes, mixed } from '../record/bytes.ts'
import { LineFramer } from '../record/lines.ts'
import { KIB, MIB } from '../text/units.ts'
import { FirstLinks, type LinkSeen } from './first-links.ts'
import { damaged, isIntactFile, type WrittenFile } from './work-file.ts'

/** How many groups are held in memory before they are written out, and how much text of their properties. */
const HELD = 50_000
const HELD_TEXT = 16 * MIB

/** Seen in one record: a group's properties. */
export interface GroupSeen {
  readonly kind: 'group'
  readonly type: string
  readonly key: string
  readonly json: string
  readonly instant: number
  readonly seq: number
}

export type Observation = LinkSeen | GroupSeen

/** Equal properties of a group in a row: the first record that tells them, and where the last one is. */
interface Stretch {
  readonly first: GroupSeen
  instant: number
  seq: number
}

/**
 * Notes what events are generated from after all input is read: the first user of an anonymous id, and the changes of a
 * group's properties. It keeps only what can matter: an anonymous id's earliest user, and the first and last of
 * equal group properties in a row.
 */
export class Observations {
  readonly #links: FirstLinks
  readonly #groups = new Map<string, Stretch>()
  /** Characters of the group properties held. */
  #text = 0
  readonly #write: (seen: readonly Observation[]) => void

  /** `links` may be those of units before, whose ids are not told again. */
  constructor(write: (seen: readonly Observation[]) => void, links = new FirstLinks()) {
    this.#write = write
    this.#links = links
  }

  link({ anonymous, user }: Link, instant: number, seq: number): void {
    this.#links.note(anonymous, user, instant, seq)
    if (this.#links.isFull) this.flush()
  }

  group({ type, key, json }: GroupState, instant: number, seq: number): void {
    const name = groupName(type, key)
    const stretch = this.#groups.get(name)
    if (stretch && stretch.first.json === json && stretch.instant <= instant) {
      stretch.instant = instant
      stretch.seq = seq
      return
    }
    if (stretch) {
      this.#write(ends(stretch))
      this.#text -= stretch.first.json.length
    }
    this.#groups.set(name, { first: { kind: 'group', type, key, json, instant, seq }, instant, seq })
    this.#text += json.length
    if (this.#groups.size >= HELD || this.#text >= HELD_TEXT) this.flush()
  }

  flush(): void {
    this.#write(this.#links.take())
    for (const stretch of this.#groups.values()) this.#write(ends(stretch))
    this.#groups.clear()
    this.#text = 0
  }
}

/** Names a group. Quicker than JSON, and as unambiguous. */
export function groupName(type: string, key: string): string {
  return `${type.length}:${type}${key}`
}

function ends({ first, instant, seq }: Stretch): GroupSeen[] {
  return first.seq === seq ? [first] : [first, { ...first, instant, seq }]
}

const HASH_DIGITS = 8
const LF = 0x0a
/** One buffer for all files: there are hundreds. */
const chunk = Buffer.allocUnsafeSlow(64 * KIB)

/**
 * A line of a file of observations: eight hexadecimal digits, a hash of its anonymous id or group, then its JSON.
 * All observations of an id have the same hash, so a reader can take one share of the ids, and parse only that share.
 */
export function seenLine(one: Observation): string {
  return `${hashOfSeen(one).toString(16).padStart(HASH_DIGITS, '0')}${JSON.stringify(one)}\n`
}

/** A hash of 32 bits of the anonymous id or group. */
export function hashOfSeen(one: Observation): number {
  const id = Buffer.from(one.kind === 'link' ? one.anonymous : `${one.type}\n${one.key}`)
  return mixed(hashBytes(id, 0, id.length))
}

/** Hands out the hashes of a file's observations. Code `unavailable` if it is not the file that was written. */
export function eachHash(folder: string, written: WrittenFile, each: (hash: number) => void): void {
  eachSeenLine(folder, written, (bytes, start) => each(hashAt(bytes, start)))
}

export function eachSeen(lines: Buffer, each: (one: Observation) => void): void {
  eachLine(lines, (start, end) =>
    each(JSON.parse(lines.toString('utf8', start + HASH_DIGITS, end)) as Observation),
  )
}

/** Hands out where each line begins, and where the next one does. */
export function eachLine(lines: Buffer, each: (start: number, end: number) => void): void {
  for (let start = 0; start < lines.length; ) {
    // Bytes without a line end are a line too: it must not go on for ever.
    const end = lines.indexOf(LF, start) + 1 || lines.length
    each(start, end)
    start = end
  }
}

/** The share, of `shares`, of the line at `at`: shares are ranges of hashes, so they follow each other in their order. */
export function shareAt(bytes: Buffer, at: number, shares: number): number {
  return Math.floor((hashAt(bytes, at) * shares) / 2 ** 32)
}

type EachLine = (bytes: Buffer, start: number, end: number) => void

/** Hands out the lines of a file, without their ends. Code `unavailable` if it is not the file that was written. */
export function eachSeenLine(folder: string, written: WrittenFile, each: EachLine): void {
  const path = join(folder, written.file)
  try {
    if (frameLines(path, each) !== written.crc) throw damaged(path)
  } catch (error) {
    // Bytes that changed can fail in many ways before all of them are read.
    throw isIntactFile(folder, written) ? error : damaged(path)
  }
}

/** Returns the CRC-32 of the whole file. */
function frameLines(path: string, each: EachLine): number {
  const framer = new LineFramer({
    line: each,
    tooLong() {
      throw new Error(`an observation in ${path} is longer than a record can be`)
    },
  })
  // Synchronous: there is a file for each unit, and awaiting takes longer than reading.
  const fd = openSync(path, 'r')
  let crc = 0
  try {
    for (let bytes = readSync(fd, chunk); bytes > 0; bytes = readSync(fd, chunk)) {
      const read = chunk.subarray(0, bytes)
      crc = crc32(read, crc)
      framer.push(read)
    }
  } finally {
    closeSync(fd)
  }
  framer.end()
  return crc
}

/** The number in a line's first eight digits. */
function hashAt(bytes: Buffer, at: number): number {
  let hash = 0
  for (let i = at; i < at + HASH_DIGITS; i++) {
    const byte = bytes[i]!
    hash = (hash << 4) | (byte <= 0x39 ? byte - 0x30 : byte - 0x57)
  }
  return hash >>> 0
}
