import {
  addCounts,
  addNotes,
  emptyNotes,
  foldNames,
  foldNotes,
  type Notes,
  type Reject,
} from '../record/index.ts'
import type { Batch } from './batch.ts'
import type { CheckpointState } from './checkpoint.ts'
import { addRemarks, noRemarks, type Remarks } from './remarks.ts'

/** So many names, and reasons, are told apart: each checkpoint has them. A file of rejects may have any reasons. */
const MOST_NAMES = 500

/** Counts what became of the records so far, over all runs of an import. */
export class DeliveryTally {
  delivered = 0
  rejected = 0
  filtered = 0
  /** Delivered events so young that the service may bill them as live ones. */
  young = 0
  readonly reasons: Record<string, number> = Object.create(null) as Record<string, number>
  /** Records left out on purpose, by reason. */
  readonly filters: Record<string, number> = Object.create(null) as Record<string, number>
  readonly notes: Notes = emptyNotes()
  /** What Capture V1 said of delivered events, and of those that the import made itself. */
  readonly remarks: Remarks = noRemarks()
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
      addRemarks(this.remarks, state.remarks)
    }
    this.before = { delivered: this.delivered, rejected: this.rejected, filtered: this.filtered }
  }

  /** All records whose fate is known, over all runs. */
  get settled(): number {
    return this.delivered + this.rejected + this.filtered
  }

  /** Of the delivered events, those of which the service did not say that they are stored. */
  get unconfirmed(): number {
    // Earlier versions counted events that the import made itself, too.
    return Math.min(this.remarks.unknown, this.delivered)
  }

  /** Counts a batch that is done: the service took its events, except the refused ones. */
  acknowledge(batch: Batch, refused: readonly Reject[], remarks?: Remarks): void {
    this.delivered += batch.events - refused.length
    this.rejected += batch.rejects.length + refused.length
    this.filtered += batch.records - batch.events - batch.rejects.length
    this.young += batch.young
    addCounts(this.reasons, batch.reasons)
    addCounts(this.filters, batch.filtered)
    for (const { reason } of refused) this.#count(reason, 1)
    foldNames(this.reasons, MOST_NAMES)
    if (remarks) this.remark(remarks)
    if (!batch.notes) return
    addNotes(this.notes, batch.notes)
    foldNotes(this.notes, MOST_NAMES)
  }

  /** What a checkpoint keeps. These are copies: the counts change while it is written. */
  get saved(): Pick<CheckpointState, 'counts' | 'reasons' | 'filters' | 'young' | 'notes' | 'remarks'> {
    const { delivered, rejected, filtered, reasons, filters, young, notes, remarks } = this
    return {
      counts: { delivered, rejected, filtered },
      reasons: { ...reasons },
      filters: { ...filters },
      young,
      notes: structuredClone(notes),
      remarks: structuredClone(remarks),
    }
  }

  /** Counts what the service said of events that it took. */
  remark(remarks: Remarks): void {
    addRemarks(this.remarks, remarks)
    foldNames(this.remarks.warnings, MOST_NAMES)
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
