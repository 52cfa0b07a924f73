import type { Key } from '../record/keys.ts'
import type { Into } from './fates.ts'

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

/** The members that are met in each record of one shape. */
export interface MetMembers {
  /** Places and ways of being met. */
  readonly met: readonly number[]
  readonly handed: readonly Handed[]
}

/** The members, counted from the record's first, that are in an object that a function may take whole, by these slots. */
export interface Handed {
  readonly slots: readonly number[]
  readonly from: number
  readonly to: number
}
