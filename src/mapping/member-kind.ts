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

/** What is counted of the records of one shape: once for all of them, not for each. */
export interface ShapeCounts {
  /** Places and ways of being met. */
  readonly met: Int32Array
  /** Places of the objects whose members are told apart. */
  readonly opened: readonly number[]
  /** The properties that the tables give the event. */
  readonly keys: readonly Key[]
  /** Records whose members are not counted yet. */
  records: number
  /** Events whose properties are not counted yet. */
  events: number
}
