import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { hashBytes, mixed } from '../record/bytes.ts'
import { LineFramer } from '../record/lines.ts'
import { KIB } from '../units.ts'
import type { Seen } from './observations.ts'
import { damaged, isIntactFile, type WrittenFile } from './work-file.ts'

const SHARE_DIGITS = 8
/** One buffer for all files: there are hundreds, each read once for every share. */
const chunk = Buffer.allocUnsafeSlow(64 * KIB)

/**
 * A line of a file of observations: eight hexadecimal digits, a hash of its anonymous id or group, then a JSON array.
 * All observations of an id have the same hash, so a reader can take one share of the ids, and parse only that share.
 */
export function seenLine(one: Seen): string {
  const hash = hashOfSeen(one)
  const { instant, seq } = one
  const cells =
    one.kind === 'link'
      ? [instant, seq, one.anonymous, one.user]
      : [instant, seq, one.type, one.key, one.json]
  return `${hash.toString(16).padStart(SHARE_DIGITS, '0')}${JSON.stringify(cells)}\n`
}

/** A hash of 32 bits of the anonymous id or group. */
export function hashOfSeen(one: Seen): number {
  const id = Buffer.from(one.kind === 'link' ? one.anonymous : `${one.type}\n${one.key}`)
  return mixed(hashBytes(id, 0, id.length))
}

/** The share that a hash falls into: the shares are ranges, so they follow each other in the order of hashes. */
function shareOf(hash: number, shares: number): number {
  return Math.floor((hash * shares) / 2 ** 32)
}

/** Four cells for a link, five for a group, which always has its JSON. */
type Cells = readonly [
  instant: number,
  seq: number,
  anonymousOrType: string,
  userOrKey: string,
  json?: string,
]

function seenOf([instant, seq, first, second, json]: Cells): Seen {
  return json === undefined
    ? { kind: 'link', anonymous: first, user: second, instant, seq }
    : { kind: 'group', type: first, key: second, json, instant, seq }
}

/**
 * Hands out the observations of a file whose id falls into share `share` of `shares`. Code `unavailable` if it is not the
 * file that was written.
 */
export function readSeen(
  folder: string,
  written: WrittenFile,
  share: number,
  shares: number,
  each: (one: Seen) => void,
): void {
  readLines(folder, written, (bytes, start, end) => {
    if (shareOf(hashAt(bytes, start), shares) !== share) return
    each(seenOf(JSON.parse(bytes.toString('utf8', start + SHARE_DIGITS, end)) as Cells))
  })
}

/** Hands out the hashes of a file's observations. Code `unavailable` if it is not the file that was written. */
export function eachHash(folder: string, written: WrittenFile, each: (hash: number) => void): void {
  readLines(folder, written, (bytes, start) => each(hashAt(bytes, start)))
}

/** Hands out the lines of a file of observations, each with its hash as text. Code `unavailable` as above. */
export function eachSeenLine(
  folder: string,
  written: WrittenFile,
  each: (hash: string, rest: string) => void,
): void {
  readLines(folder, written, (bytes, start, end) => {
    const at = start + SHARE_DIGITS
    each(bytes.toString('latin1', start, at), bytes.toString('utf8', at, end))
  })
}

/** The share of `shares` that a hash, as text, falls into. */
export function shareOfText(hash: string, shares: number): number {
  return shareOf(Number.parseInt(hash, 16), shares)
}

type EachLine = (bytes: Buffer, start: number, end: number) => void

function readLines(folder: string, written: WrittenFile, each: EachLine): void {
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
  // Synchronous: there is a file for each unit, read once for every share, and awaiting takes longer than reading.
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
  for (let i = at; i < at + SHARE_DIGITS; i++) {
    const byte = bytes[i]!
    hash = (hash << 4) | (byte <= 0x39 ? byte - 0x30 : byte - 0x57)
  }
  return hash >>> 0
}
