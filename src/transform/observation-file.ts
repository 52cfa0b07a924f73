import { closeSync, openSync, readSync } from 'node:fs'
import { hashBytes } from '../record/bytes.ts'
import { LineFramer } from '../record/lines.ts'
import { KIB } from '../units.ts'
import type { Seen } from './observations.ts'

const SHARE_DIGITS = 8
/** One buffer for all files: there are hundreds, each read once for every share. */
const chunk = Buffer.allocUnsafeSlow(64 * KIB)

/**
 * A line of a file of observations: eight hexadecimal digits, a hash of its anonymous id or group, then a JSON array.
 * All observations of an id have the same hash, so a reader can take one share of the ids, and parse only that share.
 */
export function seenLine(one: Seen): string {
  const id = Buffer.from(one.kind === 'link' ? one.anonymous : `${one.type}\n${one.key}`)
  const hash = hashBytes(id, 0, id.length) >>> 0
  const { instant, seq } = one
  const cells =
    one.kind === 'link'
      ? [instant, seq, one.anonymous, one.user]
      : [instant, seq, one.type, one.key, one.json]
  return `${hash.toString(16).padStart(SHARE_DIGITS, '0')}${JSON.stringify(cells)}\n`
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

/** Hands out the observations whose id falls into share `share` of `shares`. */
export function readSeen(file: string, share: number, shares: number, each: (one: Seen) => void): void {
  const framer = new LineFramer({
    line(bytes, start, end) {
      if (hashAt(bytes, start) % shares !== share) return
      each(seenOf(JSON.parse(bytes.toString('utf8', start + SHARE_DIGITS, end)) as Cells))
    },
    tooLong() {
      throw new Error(`an observation in ${file} is longer than a record can be`)
    },
  })
  // Synchronous: there is a file for each unit, read once for every share, and awaiting takes longer than reading.
  const fd = openSync(file, 'r')
  try {
    for (let bytes = readSync(fd, chunk); bytes > 0; bytes = readSync(fd, chunk)) {
      framer.push(chunk.subarray(0, bytes))
    }
  } finally {
    closeSync(fd)
  }
  framer.end()
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
