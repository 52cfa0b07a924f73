import { parseTime } from '../../record/time.ts'
import { compileTimeFormat } from '../../record/time-format.ts'
import { groupedBy } from '../../text/lists.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import { lastName, plain, withoutUnit } from './member.ts'
import type { Profile } from './profiles-of.ts'

// How well members could be what a role asks for: by their names, and by what their values show beside each other.

/** A member, and how well it fits. */
export interface Fitness {
  readonly profile: Profile
  readonly score: number
}

/** A member that says something else of a person's life, or of the pipeline, than when the event happened. */
const WRONG_TIME = {
  owner:
    /^(?:user|customer|account|member|person|profile|contact|visitor|signup|signed|register(?:ed)?|registration|join(?:ed)?|birth|birthday|birthdate|dob|born|hired?|first|last|trial|subscri(?:bed|ption))$/,
  later:
    /^(?:received|load(?:ed)?|insert(?:ed)?|ingest(?:ed|ion)?|import(?:ed)?|export(?:ed)?|sync(?:ed)?|upload(?:ed)?|updated?|modified|changed|processed|stored|saved|written|indexed|refreshed|etl|expir(?:y|es|ed)|due|deleted|ends?|ended|until|extracted|batch(?:ed)?)$/,
  event:
    /^(?:event|action|activity|occurr?ed|happened|performed|done|purchased?|ordered|transaction|visit(?:ed)?|click(?:ed)?)$/,
}

/** What the emptiness of a member costs: one that half of the records have loses to a worse name that all have. */
const EMPTY = 6
/** What is known by values weighs more than any name. */
const PROVEN = 4
const YEAR = 365 * MICROS_PER_DAY
const MOST_OF = 0.9
const MOST_LOOKED_AT = 2000

/** Of two that are closer than this either could be it. */
export const CLOSE = 2

/** The share of the records that have no value, as a loss. */
export function emptiness({ member }: Profile, records: number): number {
  return EMPTY * (1 - member.texts.length / Math.max(1, records))
}

/** Words of the last name of a path: `created`, `at` of `user.createdAt`. */
export function wordsIn(name: string): string[] {
  return lastName(name)
    .split(/[^\p{L}\d]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')
}

/** A time member with its moments by record. */
interface Moments {
  readonly profile: Profile
  readonly at: ReadonlyMap<number, number>
}

function momentsOf(profile: Profile): Moments {
  const { member, kind } = profile
  const formats = kind.kind === 'time' ? kind.time.formats : []
  const readers = [...formats.map((format) => compileTimeFormat(format)), (text: string) => parseTime(text)]
  const at = new Map<number, number>()
  for (let i = 0; i < Math.min(member.texts.length, MOST_LOOKED_AT); i++) {
    // Texts are the values without those that say nothing: where any was left out, places can't be told.
    if (member.texts.length !== member.values.length) break
    for (const read of readers) {
      try {
        const moment = read(member.texts[i]!, undefined)
        if (moment === undefined) continue
        at.set(member.at[i]!, moment)
        break
      } catch {}
    }
  }
  return { profile, at }
}

/**
 * Times by how well each could be the event's own, the best first. `nameOf`: how much its name speaks for it. A time is a
 * person's where it is the same in all records of each person while another one changes, or where it lies years before; it is
 * of the pipeline where it always comes after another one, or many records share it.
 */
export function fittingTimes(
  profiles: readonly Profile[],
  {
    person,
    records,
    nameOf,
  }: { person: Profile | undefined; records: number; nameOf: (one: Profile) => number },
): Fitness[] {
  const all = profiles.map(momentsOf)
  const personAt = new Map(person?.member.at.map((record, i) => [record, person.member.values[i]!]))
  const scored = all.map((one) => {
    const others = all.filter((other) => other !== one)
    const isPersons =
      (isConstant(one, personAt) && others.some((other) => !isConstant(other, personAt))) ||
      others.some((other) => gapOf(one, other) > YEAR)
    return { one, isPersons }
  })
  return scored
    .map(({ one, isPersons }) => {
      const { profile } = one
      const words = wordsIn(withoutUnit(profile.member.name))
      const has = (pattern: RegExp) => words.some((word) => pattern.test(word))
      const rivals = scored.filter((other) => other.one !== one && !other.isPersons).map((other) => other.one)
      let score = nameOf(profile) - emptiness(profile, records)
      if (isPersons) score -= PROVEN
      if (has(WRONG_TIME.owner)) score -= 1.5
      if (has(WRONG_TIME.later)) score -= 2
      if (has(WRONG_TIME.event)) score += 1
      if (rivals.some((other) => comesAfter(one, other) && !isDayOf(other, one))) score -= 1
      if (rivals.some((other) => isDayOf(one, other))) score -= CLOSE
      // A load writes many records at once, and a day has less to say than a moment of it.
      if (rivals.some((other) => profile.distinct * 2 <= other.profile.distinct)) score -= 1.5
      return { profile, score }
    })
    .sort((a, b) => b.score - a.score)
}

/** True where people who have several records have one and the same time in all of them. */
function isConstant({ at }: Moments, personAt: ReadonlyMap<number, string>): boolean {
  const known = [...at].filter(([record]) => personAt.has(record))
  const people = groupedBy(known, ([record]) => personAt.get(record))
  const several = [...people.values()].filter(({ length }) => length > 1)
  const same = several.filter((times) => times.every(([, moment]) => moment === times[0]![1]))
  return several.length > 0 && same.length >= several.length * MOST_OF
}

/** The two moments of each record that has both. */
function pairsOf({ at }: Moments, { at: other }: Moments): Array<readonly [moment: number, beside: number]> {
  return [...at].flatMap(([record, moment]) => {
    const beside = other.get(record)
    return beside === undefined ? [] : [[moment, beside] as const]
  })
}

/** How much earlier one is than another in the middle of the records that have both, in microseconds; 0 where none has. */
function gapOf(one: Moments, other: Moments): number {
  const gaps = pairsOf(one, other).map(([moment, beside]) => beside - moment)
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0
}

/** True where one is the midnight of the other's day, and the other has a time of day. */
function isDayOf(one: Moments, other: Moments): boolean {
  const pairs = pairsOf(one, other)
  return (
    pairs.every(([moment, beside]) => moment === Math.floor(beside / MICROS_PER_DAY) * MICROS_PER_DAY) &&
    pairs.some(([moment, beside]) => beside > moment)
  )
}

/** True where one is never before the other, and mostly after it. */
function comesAfter(one: Moments, other: Moments): boolean {
  const pairs = pairsOf(one, other)
  const after = pairs.filter(([moment, beside]) => moment > beside).length
  return pairs.length > 1 && after > pairs.length / 2 && pairs.every(([moment, beside]) => moment >= beside)
}

/** True where each value of one stands beside one value of the other, and the other way round. */
export function isOneToOne(a: Profile, b: Profile): boolean {
  const other = new Map(b.member.at.map((record, i) => [record, b.member.values[i]!]))
  const [there, back] = [new Map<string, string>(), new Map<string, string>()]
  let [both, bent] = [0, 0]
  for (const [i, record] of a.member.at.entries()) {
    const value = a.member.values[i]!
    const beside = other.get(record)
    if (beside === undefined) continue
    both++
    if ((there.get(value) ?? beside) !== beside || (back.get(beside) ?? value) !== value) bent++
    there.set(value, beside)
    back.set(beside, value)
  }
  return there.size > 1 && bent <= both * (1 - MOST_OF)
}

/** Records whose value a record before has that differs from it: how many, and how many different values there are. */
export function repeatsOf({ member }: Profile, records: readonly string[]): number {
  const first = new Map<string, string>()
  let repeats = 0
  for (const [i, record] of member.at.entries()) {
    const value = member.values[i]!
    const before = first.get(value)
    if (before === undefined) first.set(value, records[record]!)
    else if (before !== records[record]) repeats++
  }
  return repeats
}

/** The finer names of events, where one member has a kind of event and another names the events of some kinds. */
export function finerNames(
  coarse: Profile,
  candidates: readonly Profile[],
  records: number,
): Profile | undefined {
  const kinds = new Map(coarse.member.at.map((record, i) => [record, coarse.member.values[i]!]))
  return candidates.find((fine) => {
    const count = fine.member.values.length
    if (fine === coarse || count === 0 || count >= records) return false
    const named = new Set(fine.member.at.map((record) => kinds.get(record)))
    const isThere = new Set(fine.member.at)
    const others = new Set(coarse.member.at.filter((record) => !isThere.has(record)).map((r) => kinds.get(r)))
    // It is there for some kinds, and for no other.
    return fine.distinct > named.size && [...named].every((kind) => !others.has(kind))
  })
}

/** Names such as `Name`, plain and without the words that all names of a record share. */
export function isNumbered({ member: { texts }, distinct }: Profile): boolean {
  if (distinct < 3 || distinct < texts.length / 2) return false
  const shapes = new Set(texts.map((text) => text.replaceAll(/\d+/g, '0')))
  return shapes.size === 1 && /\d/.test(texts[0]!)
}

/** True for a name that is called so, in any spelling. */
export function isPlainly(name: string, pattern: RegExp): boolean {
  return pattern.test(plain(lastName(name)))
}

/** Names of counts. A person's id is called by one of them, `visitor`, `user_id`; a count by many. */
const COUNT =
  /^(?:total|new|active|returning|unique|sum|number|no|num|count|monthly|daily|weekly|imported)?(?:of)?(?:visitors|visits|users|sessions|pageviews|page_?views|screenviews|views|hits|clicks|impressions|bounces|events|uniques|entrances|exits|pageloads|conversions|customers|people|totalevents|engagedsessions|keyevents)(?:count|total|unique)?$|^(?:event|user|session|visitor|visit|view|hit|pageview|click)s?(?:count|total|totals)$|^(?:count|total|n)of(?:visitors|users|events|sessions|visits)$/

/** True for a number that says how many there were, by its name. */
export function isCount({ member, kind }: Profile): boolean {
  return kind.kind === 'number' && COUNT.test(plain(lastName(member.name)))
}
