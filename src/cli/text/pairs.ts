import { cutTo, number, visible } from '../../text/index.ts'
import type { Pair, Refused } from '../../transform/index.ts'

/** Texts up to this many characters are shown whole. */
const MOST_CHARACTERS = 2000
/** Columns that are shown of a longer text. */
const CUT_COLUMNS = 400

/** Records and the events they become, one pair under the other, for a dry run. */
export function renderPairs(pairs: readonly Pair[]): string {
  return pairs.map(({ record, event }) => `record  ${shown(record)}\n event  ${shown(event)}\n\n`).join('')
}

/** The first rejected record for each reason, for a dry run, which writes no rejects file. */
export function renderRefused(reasons: ReadonlyMap<string, Refused>): string {
  return [...reasons]
    .map(([reason, { message, record }]) => {
      const text = record === null ? '(too long to show)' : shown(record)
      return `record  ${text}\nreject  ${reason}: ${visible(message)}\n\n`
    })
    .join('')
}

/** A record or an event for a terminal, cut if it is long: a megabyte would push all others off the screen. */
function shown(text: string): string {
  if (text.length <= MOST_CHARACTERS) return visible(text)
  // The text is cut before its width is measured: splitting a megabyte into letters takes minutes.
  return `${cutTo(visible(text.slice(0, MOST_CHARACTERS)), CUT_COLUMNS)} (${number(Buffer.byteLength(text))} bytes in all)`
}
