import type { Pair, Refused } from '../transform/sample.ts'
import { cutTo, visible } from './visible.ts'
import { number } from './words.ts'

/** Texts up to this many characters are shown whole. */
const WHOLE = 2000
/** Columns shown of a longer one. */
const BEGINNING = 400

/** Records and the events they become, one pair under the other, for a dry run. */
export function renderPairs(pairs: readonly Pair[]): string {
  return pairs.map(({ record, event }) => `record  ${shown(record)}\n event  ${shown(event)}\n\n`).join('')
}

/** The first record of each reason, for a dry run: it leaves no rejects file to look into. */
export function renderRefused(reasons: ReadonlyMap<string, Refused>): string {
  return [...reasons]
    .map(([reason, { message, record }]) => {
      const text = record === null ? '(too long to show)' : shown(record)
      return `record  ${text}\nreject  ${reason}: ${visible(message)}\n\n`
    })
    .join('')
}

/** A record or an event as a terminal can bear it: one of a megabyte would push all others out of sight. */
function shown(text: string): string {
  if (text.length <= WHOLE) return visible(text)
  // Cut before it is measured: to tell the letters of a megabyte apart takes minutes.
  return `${cutTo(visible(text.slice(0, WHOLE)), BEGINNING)} (${number(Buffer.byteLength(text))} bytes in all)`
}
