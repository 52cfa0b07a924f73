import type { Counts } from '../record/counts.ts'
import {
  addCounts,
  addNotes,
  countOne,
  emptyNotes,
  foldNames,
  foldNotes,
  type Notes,
} from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import type { Batch } from './batch.ts'
import type { CheckpointState } from './checkpoint.ts'
import { addRemarks, noRemarks, type Remarks, type Via } from './route.ts'

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

  /** A dataset that is called done with events left, or with more than it has, would be found out months later. */
  assertSettled({ events, name }: { readonly events: number | undefined; readonly name: string }): void {
    if (events === undefined || events === this.settled) return
    throw new Error(
      `${name} came to its end with ${this.settled} events settled, and its manifest counts ${events}`,
    )
  }

  /** Of the delivered events, those of which the service did not say that they are stored. */
  get unconfirmed(): number {
    return this.remarks.unknown
  }

  /** Counts a batch that is done: the service took its events, except the refused ones. */
  acknowledge(batch: Batch, refused: readonly Reject[], remarks?: Remarks): void {
    this.take(batch, refused)
    foldNames(this.reasons, MOST_NAMES)
    if (remarks) this.remark(remarks)
    if (batch.notes) foldNotes(this.notes, MOST_NAMES)
  }

  /** The same of a plan, which no checkpoint has: all names are told apart. */
  take(batch: Batch, refused: readonly Pick<Reject, 'reason'>[]): void {
    this.delivered += batch.events - refused.length
    this.rejected += batch.rejects.length + refused.length
    this.filtered += batch.records - batch.events - batch.rejects.length
    this.young += batch.young
    addCounts(this.reasons, batch.reasons)
    addCounts(this.filters, batch.filtered)
    for (const { reason } of refused) countOne(this.reasons, reason)
    if (batch.notes) addNotes(this.notes, batch.notes)
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
    countOne(this.reasons, reason)
  }
}

/** How a run ended. The counts are of the whole import, over all its runs. */
export interface DeliveryOutcome {
  readonly counts: Counts
  /** Events delivered by this run alone. */
  readonly deliveredNow: number
  /** Events that the import made itself, and the service took: apart from the counts. */
  readonly ownEvents: number
  /** Records rejected by this run alone. */
  readonly rejectedNow: number
  readonly tally: DeliveryTally
  /** The rejects file is not empty, and has not been moved away. */
  readonly rejectsLeft: boolean
  /** One of the rejects is a last line without its line end. It is read again if the file grows. */
  readonly tornTail: boolean
  /** The time of `--stop-after` ended before the input did. */
  readonly stoppedInTime: boolean
  /** Whether any of this run's events was found in the project. Undefined if none was looked for. */
  readonly arrived: boolean | undefined
  /** The route that the events took. */
  readonly via: Via
  /** What is left of the input. `events` is known only of a dataset; `bytes` are stored bytes, roughly. */
  readonly left: { readonly events: number | undefined; readonly bytes: number }
  /** All events that count against the volume cap, over all imports into the project since `since`. */
  readonly migration: { readonly events: number; readonly since: string }
  /** Why the run failed before the end of the input; undefined if it reached the end, or its time was over. */
  readonly error: unknown
}

/** How far a running import has come. */
export interface ImportProgress {
  readonly totalBytes: number
  readonly doneBytes: number
  /** Events acknowledged, over all runs. */
  readonly delivered: number
  readonly rejected: number
  /** Of the delivered events; only by Capture V1. */
  readonly unconfirmed?: number
  /** What is left to send; known only of a dataset. */
  readonly pending: number | undefined
}
