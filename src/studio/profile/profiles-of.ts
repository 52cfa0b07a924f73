import { setImmediate } from 'node:timers/promises'
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
export function profilesOf(texts: readonly string[], options: ProfileOptions): Profile[] {
  return profiledMembers(texts, options).map((member) => profileOf(member, options))
}

/** The same of many records, which takes seconds: it ends as soon as `stop` is aborted. */
export async function manyProfilesOf(
  texts: readonly string[],
  options: ProfileOptions,
  stop: AbortSignal,
): Promise<Profile[]> {
  const profiles: Profile[] = []
  for (const member of profiledMembers(texts, options)) {
    await assertNotStopped(stop)
    profiles.push(profileOf(member, options))
  }
  return profiles
}

/** Lets a signal be heard between two pieces of long work. Throws its reason. */
export async function assertNotStopped(stop: AbortSignal): Promise<void> {
  await setImmediate()
  stop.throwIfAborted()
}

function profileOf(member: Member, { columns, now }: ProfileOptions): Profile {
  const kind = kindOf(member, columns !== undefined, now)
  return { member, kind, distinct: new Set(member.values).size }
}

/** A member and what it is taken for. */
export interface Profile {
  readonly member: Member
  readonly kind: ValueKind
  /** Different values, as text. */
  readonly distinct: number
}
