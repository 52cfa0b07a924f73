import type { Key } from '../record/keys.ts'
import type { Into } from './fates.ts'

/** How a member was met in one record. */
export const MET = { present: 0, empty: 1, toPerson: 2, withObject: 3, opened: 4 } as const
/** A place and a way of being met are one number: the place, then this number of bits. */
export const MET_BITS = 3
export const METS = 1 << MET_BITS

/** A kind of member: all members of records with one path. */
export interface MemberKind {
  readonly path: string
  /** The last piece of the path. */
  readonly name: string
  readonly emits: ReadonlyArray<{ readonly into: Into; readonly key: Key }>
  /** What each of `emits` does with a value. */
  readonly fates: readonly string[]
  readonly slots: readonly number[]
  /** Why a value is left out that nothing sends or uses; null when it goes with the object that it is in. */
  readonly leftOut: string | null
}

/** For `except`: what happened to a value happened to all that its rule sends. */
export const ALL = -1
/** For `except`: besides all else that happened to it. */
export const BESIDES = -2

/** A departure from what the tables say, in one record; the objects are used again. */
export interface Exception {
  place: number
  /** Index in `emits`, `ALL` or `BESIDES`. */
  emit: number
  fate: string
}
