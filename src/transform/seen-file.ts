import { createReadStream } from 'node:fs'
import { hashBytes } from '../record/bytes.ts'
import { LineFramer } from '../record/lines.ts'
import type { Seen } from './ledger.ts'

const SHARE_DIGITS = 8

/**
 * A line of a file of observations: eight hexadecimal digits of hash of the id it speaks of, then JSON. All that is
 * known of one id has one hash, so a reader can take the ids in shares, and parse only its share.
 */
export function seenLine(one: Seen): string {
  const id = Buffer.from(one.kind === 'link' ? one.anonymous : `${one.type}\n${one.key}`)
  const hash = hashBytes(id, 0, id.length) >>> 0
  return `${hash.toString(16).padStart(SHARE_DIGITS, '0')}${JSON.stringify(one)}\n`
}

/** Hands out the observations whose id falls into share `share` of `shares`. */
export async function readSeen(
  file: string,
  share: number,
  shares: number,
  each: (one: Seen) => void,
): Promise<void> {
  const framer = new LineFramer({
    line(bytes, start, end) {
      const hash = Number.parseInt(bytes.toString('latin1', start, start + SHARE_DIGITS), 16)
      if (hash % shares !== share) return
      each(JSON.parse(bytes.toString('utf8', start + SHARE_DIGITS, end)) as Seen)
    },
    tooLong() {
      throw new Error(`an observation in ${file} is longer than a record can be`)
    },
  })
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) framer.push(chunk as Buffer)
  framer.end()
}
