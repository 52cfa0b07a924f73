import type { Pair, Refused } from '../transform/sample.ts'
import { visible } from './visible.ts'

/** Records and the events they become, one pair under the other, for a dry run. */
export function renderPairs(pairs: readonly Pair[]): string {
  return pairs
    .map(({ record, event }) => `record  ${visible(record)}\n event  ${visible(event)}\n\n`)
    .join('')
}

/** The first record of each reason, for a dry run: it leaves no rejects file to look into. */
export function renderRefused(reasons: ReadonlyMap<string, Refused>): string {
  return [...reasons]
    .map(([reason, { message, record }]) => {
      const shown = record === null ? '(too long to show)' : visible(record)
      return `record  ${shown}\nreject  ${reason}: ${visible(message)}\n\n`
    })
    .join('')
}
