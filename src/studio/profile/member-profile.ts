import type { ValueKind } from './kind.ts'
import type { Member } from './member.ts'

/** A member and what it is taken for. */
export interface Profile {
  readonly member: Member
  readonly kind: ValueKind
  /** Different values, as text. */
  readonly distinct: number
}
