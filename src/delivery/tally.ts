import { addCounts, addNotes, emptyNotes, type Notes } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import type { Batch } from './batch.ts'
import type { CheckpointState } from './checkpoint.ts'

const MOST_NAMES = 500
const OTHERS = '(others)'

/** Counts what became of the records so far, over all runs of an import. */
export class Tally {
  delivered = 0
  rejected = 0
  filtered = 0
  /** Delivered events so young that the service may bill them as live ones. */
  young = 0
  readonly reasons: Record<string, number> = Object.create(null) as Record<string, number>
  /** Records left out on purpose, by reason. */
  readonly filters: Record<string, number> = Object.create(null) as Record<string, number>
  readonly notes: Notes = emptyNotes()
  /** The counts of earlier runs, which are included above. */
  readonly before: CheckpointState['counts']

  constructor(state?: CheckpointState) {
    if (state) {
      this.delivered = state.counts.delivered
      this.rejected = state.counts.rejected
      this.filtered = state.counts.filtered
      this.young = state.young
      addCounts(this.reasons, state.reasons)
      addCounts(this.filters, state.filters)
      addNotes(this.notes, state.notes)
    }
    this.before = { delivered: this.delivered, rejected: this.rejected, filtered: this.filtered }
  }

  /** Counts a batch that is done: the service took its events, except the refused ones. */
  acknowledge(batch: Batch, refused: readonly Reject[]): void {
    this.delivered += batch.events - refused.length
    this.rejected += batch.rejects.length + refused.length
    this.filtered += batch.records - batch.events - batch.rejects.length
    this.young += batch.young
    addCounts(this.reasons, batch.reasons)
    addCounts(this.filters, batch.filtered)
    for (const { reason } of refused) this.#count(reason, 1)
    if (!batch.notes) return
    addNotes(this.notes, batch.notes)
    foldNames(this.notes.big_integers)
    foldNames(this.notes.ignored_members)
  }

  /** Counts a record that is rejected outside of any batch. */
  reject(reason: string): void {
    this.rejected++
    this.#count(reason, 1)
  }

  #count(reason: string, by: number): void {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + by
  }
}

/** Keeps the commonest names and counts the rest together. The data may have as many names as events. */
function foldNames(tally: Record<string, number>): void {
  const names = Object.keys(tally)
  if (names.length <= 2 * MOST_NAMES) return
  names.sort((a, b) => tally[b]! - tally[a]!)
  for (const name of names.slice(MOST_NAMES)) {
    if (name === OTHERS) continue
    tally[OTHERS] = (tally[OTHERS] ?? 0) + tally[name]!
    delete tally[name]
  }
}
