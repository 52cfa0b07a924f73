import { kindOf } from './kind.ts'
import { profiledMembers } from './member.ts'
import type { Profile } from './member-profile.ts'

export interface ProfileOptions {
  /** The columns of a table of text, whose cells the records are. */
  readonly columns?: readonly string[] | undefined
  /** Microseconds. */
  readonly now: number
}

/** The members of records, and what each is taken for. */
export function profilesOf(texts: readonly string[], { columns, now }: ProfileOptions): Profile[] {
  return profiledMembers(texts, columns).map((member) => {
    const kind = kindOf(member, { isText: columns !== undefined }, now)
    return { member, kind, distinct: new Set(member.values).size }
  })
}
