import type { WrittenBytes } from '../work-file.ts'

/**
 * A run file holds sorted event lines between mapping and sealing. Each line is in a frame:
 *
 *     instant  8 bytes  double, microseconds
 *     seq      8 bytes  double: the record's place in the whole input (see `sequence`)
 *     kind     1 byte   KINDS below
 *     length   4 bytes  of the line, without a line end
 *     line
 *
 * Frames are ordered by (instant, seq, kind, line): time first, then the input's order, and events generated from a record
 * before the record's own. Only events of several groups of one record are told apart by their lines. Little endian.
 */
export const FRAME_HEAD = 21

/** What a framed line is; the numbers order lines of one record. */
export const KINDS = { identify: 0, group: 1, own: 2, content: 3 } as const
export type LineKind = (typeof KINDS)[keyof typeof KINDS]

const UNIT = 2 ** 33

/** The place of a record in the whole input: units in order, then records in order. */
export function sequence(unit: number, index: number): number {
  return unit * UNIT + index
}

/**
 * The place after all records of its instant, for an event that gives way: of equal events the first is written. Half of
 * the whole numbers that a double has are for these.
 */
export function afterAll(seq: number): number {
  return seq + 2 ** 52
}

/** A day's frames in a run file. */
export interface Segment extends WrittenBytes {
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number
  readonly events: number
  /** True when the file holds nothing else: it is removed once the segment is sealed. */
  readonly alone: boolean
}
