import { lastName, plain, withoutUnit } from './member.ts'
import type { Profile } from './profiles-of.ts'

// How well members could be what a role asks for.

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
const MOST_OF = 0.9

/** Of two that are closer than this either could be it. */
export const CLOSE = 2

/** The share of the records that have no value, as a loss. */
export function emptiness({ member }: Profile, records: number): number {
  return EMPTY * (1 - member.texts.length / Math.max(1, records))
}

/** Words of the last name of a path: `created`, `at` of `user.createdAt`. */
function wordsIn(name: string): string[] {
  return lastName(name)
    .split(/[^\p{L}\d]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')
}

/** How well a time could be the event's own. `named`: how much its name speaks for it. */
export function fitnessOfTime(profile: Profile, named: number, records: number): number {
  const words = wordsIn(withoutUnit(profile.member.name))
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word))
  return (
    named -
    emptiness(profile, records) -
    (has(WRONG_TIME.owner) ? 1.5 : 0) -
    (has(WRONG_TIME.later) ? 2 : 0) +
    (has(WRONG_TIME.event) ? 1 : 0)
  )
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
