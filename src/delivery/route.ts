import { addCounts } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import type { Batch } from './batch.ts'

/** What Capture V1 said of events that it took. */
export interface Remarks {
  /** Events that it took with a warning, by the service's word for it. */
  readonly warnings: Record<string, number>
  /** Events among them that were to merge people or to change a person or a group, and did not, by their names. */
  readonly unmerged: Record<string, number>
  /** Unconfirmed events: it gave no known answer for them. They may be stored, and aren't sent again. */
  unknown: number
}

/** The names of events that do nothing if the service does not process their person. */
export const MERGING_EVENTS = ['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set']

export function noRemarks(): Remarks {
  const tally = () => Object.create(null) as Record<string, number>
  return { warnings: tally(), unmerged: tally(), unknown: 0 }
}

/** Adds `other` into `into`. */
export function addRemarks(into: Remarks, other: Readonly<Remarks>): void {
  addCounts(into.warnings, other.warnings)
  addCounts(into.unmerged, other.unmerged)
  into.unknown += other.unknown
}

/** The service's routes for events: POST /batch/, and Capture V1, which answers for each event. */
export const VIAS = ['batch', 'v1'] as const
/** The route that an import takes. */
export type Via = (typeof VIAS)[number]

/** How a user is told of a route. */
export const VIA_WORDS: Readonly<Record<Via, string>> = { batch: '/batch/', v1: 'Capture V1' }

/** A batch of which each event was taken or refused. */
export interface Sent {
  readonly batch: Batch
  readonly refused: readonly Reject[]
  /** The number of its last refusal among all of the run; 0 if nothing was refused. See `Sender.confirmed`. */
  readonly lastRefusal: number
  /** What the service said of events that it took. Only Capture V1 says anything. */
  readonly remarks?: Remarks
}

/** A way to send batches to the service. */
export interface Route {
  /** Begins to pack a batch, while others are sent. */
  prepare(batch: Batch): void
  /**
   * Sends a batch. Resolves to undefined if `halt` aborted before the batch was done. The batch is then pending, though
   * some of it may have arrived. Throws if the run has to stop.
   */
  send(batch: Batch, halt: AbortSignal): Promise<Sent | undefined>
  /**
   * Sends the event that was taken last once more, which merges. Resolves to whether it was taken again; to `none` if no
   * event was taken in this run, and to undefined if `halt` aborts first.
   */
  sendLastTaken(halt: AbortSignal): Promise<'taken' | 'refused' | 'none' | undefined>
}
