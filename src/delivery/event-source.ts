import type { CheckpointState } from './checkpoint.ts'
import type { Place } from './place.ts'

/** A run of bytes of the input: a file, or one part of a dataset. */
export interface SourcePiece {
  readonly from: Place
  /** The name that rejects give the file, if the input has several. */
  readonly file: string | undefined
  /** Unpacked text from `from` to the end of the piece. */
  readonly chunks: AsyncIterable<Buffer>
  /** Where the input goes on after this piece; undefined if it is the last and may grow. */
  readonly next: Place | undefined
}

/** The input of an import. */
export interface InputSource {
  readonly name: string
  /** Bytes as stored. */
  readonly totalBytes: number
  /** How many events there are; undefined if that is not known beforehand. */
  readonly events: number | undefined
  /** False if it is known that no event has this property with a value. */
  mayHave(property: string): boolean
  /** Throws `mismatch` if the checkpoint was not made from this input, or if one of its places is not in the input. */
  verify(saved: CheckpointState['input'], places?: readonly Place[]): Promise<void>
  /** What a checkpoint saved now says of the input. */
  identity(): CheckpointState['input']
  pieces(from: Place): AsyncIterable<SourcePiece>
  /** Stored bytes before a place, roughly. */
  bytesBefore(place: Place): number
}
