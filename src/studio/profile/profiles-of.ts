import { kindOf, type ValueKind } from './kind.ts'
import { type Member, profiledMembers } from './member.ts'

interface ProfileOptions {
  /** The columns of a table of text, whose cells the records are. */
  readonly columns?: readonly string[] | undefined
  /** The member that holds an element in each record. */
  readonly list?: string | undefined
  /** Microseconds. */
  readonly now: number
}

/** The members of records, and what each is taken for. */
export function profilesOf(texts: readonly string[], { columns, list, now }: ProfileOptions): Profile[] {
  return profiledMembers(texts, { columns, list }).map((member) => {
    const kind = kindOf(member, { isText: columns !== undefined }, now)
    return { member, kind, distinct: new Set(member.values).size }
  })
}

/** A member and what it is taken for. */
export interface Profile {
  readonly member: Member
  readonly kind: ValueKind
  /** Different values, as text. */
  readonly distinct: number
}
