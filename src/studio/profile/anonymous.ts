import { lastName, plain } from './member.ts'
import type { Profile } from './profiles-of.ts'

/** An anonymous id, and how it goes together with the person beside it. */
export type Anonymous = NonNullable<ReturnType<typeof anonymousOf>>

/** Names that can mean nothing else, and those that may: an `account`'s `client`, a kind of `device`. */
const NAMES =
  /^(?:anonymous|anon|visitor|fullvisitor|cookie|gaclient|device|browser|install|installation|userpseudo|ajsanonymous)(?:id|uuid|key)$|^(?:clientid|cookie|fingerprint|idfv|idfa|gaid)$/
const LOOSE_NAMES =
  /(?:anonymous|anon|visitor|guest|device|browser|cookie|client|install|tracking|advertising|idfa|idfv)(?:id|uuid|key|hash)?$/
const SESSIONS = /(?:session|visit)(?:id|uuid|key|hash)?$/
/** Least share of values that are like ids; of those beside people, that are of one person alone. */
const MOST_OF = 0.9

/**
 * The member that is most likely an anonymous id: called so, or, where the person is missing in some records, one that is
 * there and belongs to one person wherever both are. A session's id is the last choice. `isSure` is false where only the values
 * speak for it, or the name may mean something else.
 */
export function anonymousOf(free: readonly Profile[], person: Profile) {
  const people = new Map(person.member.at.map((record, i) => [record, person.member.values[i]!]))
  const candidates = free
    .filter(({ kind, member }) => ['text', 'UUID', 'number'].includes(kind.kind) && member.texts.length > 0)
    .map((profile) => ({ profile, ...meetings(profile, people) }))
  const called = (pattern: RegExp) =>
    candidates.filter(({ profile }) => {
      const { name } = profile.member
      return [plain(name), plain(lastName(name))].some((text) => pattern.test(text))
    })
  const [named] = called(NAMES)
  if (named) return { ...named, isSure: true }
  const fitting = (ones: typeof candidates) =>
    ones.filter(({ profile, met, shared }) => isIds(profile) && shared <= met * (1 - MOST_OF))
  const [loose] = fitting(called(LOOSE_NAMES))
  if (loose) return { ...loose, isSure: false }
  const filling = fitting(candidates).filter(({ profile, fills, met }) => {
    return fills > 0 && met > 0 && profile.distinct < profile.member.texts.length
  })
  const sessions = new Set(called(SESSIONS))
  const [best] = filling.sort(
    (a, b) => Number(sessions.has(a)) - Number(sessions.has(b)) || b.fills - a.fills,
  )
  return best && { ...best, isSure: false }
}

/** True for an anonymous id that is another one in each visit. */
export function isSession({ profile }: { readonly profile: Profile }): boolean {
  return SESSIONS.test(plain(lastName(profile.member.name)))
}

function meetings({ member }: Profile, people: ReadonlyMap<number, string>) {
  const beside = new Map<string, Set<string>>()
  let fills = 0
  member.at.forEach((record, i) => {
    const person = people.get(record)
    if (person === undefined) fills++
    else {
      const value = member.values[i]!
      beside.set(value, (beside.get(value) ?? new Set()).add(person))
    }
  })
  const known = new Set(people.values())
  const users = [...beside].filter(
    ([value, persons]) => known.has(value) && [...persons].some((person) => person !== value),
  )
  const shared = [...beside.values()].filter(({ size }) => size > 1).length
  return {
    /** Records that have it and no person. */
    fills,
    /** Of its values that occur beside a person, how many there are, and how many occur beside several people. */
    met: beside.size,
    shared,
    /** Those of them that are persons elsewhere, beside another person here. */
    users: users.map(([value]) => value),
  }
}

/** Words such as `iPhone` or `Visa` are no ids. */
function isIds({ member: { texts }, distinct }: Profile): boolean {
  const ids = texts.filter(
    (text) => /^[\w.:-]{4,}$/.test(text) && (/\d/.test(text) || text.length >= 16),
  ).length
  return distinct > 2 && ids >= texts.length * MOST_OF
}
