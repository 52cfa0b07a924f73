import type { Pair } from '../transform/sample.ts'

/** Records and the events they become, one pair under the other, for a dry run. */
export function renderPairs(pairs: readonly Pair[]): string {
  return pairs.map(({ record, event }) => `record  ${record}\n event  ${event}\n\n`).join('')
}
