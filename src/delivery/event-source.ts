import type { CheckpointState } from './checkpoint.ts'
import type { Place } from './place.ts'

/** A run of bytes of the input: a file, or one part of a dataset. */
export interface Piece {
  readonly from: Place
  /** What rejects call it, where the input has several. */
  readonly file: string | undefined
  /** Unpacked text from there to the end. */
  readonly chunks: AsyncIterable<Buffer>
  /** Where the input goes on behind it; undefined when this is the last piece and may grow. */
  readonly next: Place | undefined
}

/** What is imported. */
export interface InputSource {
  readonly name: string
  /** Bytes as stored. */
  readonly totalBytes: number
  /** How many events there are, where that is known beforehand. */
  readonly events: number | undefined
  /** Throws `mismatch` when a checkpoint was not made from this input. */
  verify(saved: CheckpointState['input']): Promise<void>
  /** What a checkpoint says of the input now. */
  identity(): CheckpointState['input']
  pieces(from: Place): AsyncIterable<Piece>
  /** Bytes as stored that stand before a place, about. */
  bytesBefore(place: Place): number
}
