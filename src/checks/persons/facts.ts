import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson, exactJson, roundedJson } from '../../record/json-values.ts'
import { INITIAL, type PersonWrites } from '../../record/rules.ts'

/** Digests of a property's values that are kept: of more, the last ones. */
const MOST_DIGESTS = 1000
const DIGEST_LETTERS = 12

/** What `$unset` leaves: no value. */
const NOTHING = ''

/** What a history does to a property of a distinct id. */
interface Fact {
  /** When it was written last, or of an `$initial_…` property first, in microseconds. */
  at: number
  /** The value of that time, as JSON; NOTHING if it was unset. */
  value: string
  /** Digests of all its values, in the order in which they were written first. */
  digests: string[]
}

type Facts = Map<string, Fact>

/** What a history writes on the person of a distinct id. */
export interface PersonFacts {
  /** By `$set` and `$unset`: the last value counts. */
  readonly set: Facts
  /** By `$set_once`, of the properties that are named `$initial_…`: the first value counts. */
  readonly initial: Facts
}

type Rule = (at: number, known: Fact) => boolean
const LAST: Rule = (at, known) => at >= known.at
const FIRST: Rule = (at, known) => at < known.at

export function newFacts(): PersonFacts {
  return { set: new Map(), initial: new Map() }
}

/** Adds what one event writes, after those before it. Returns how many characters the facts grew by, roughly. */
export function addWrites(facts: PersonFacts, { set, setOnce, unset }: PersonWrites, at: number): number {
  const factOf = (value: unknown): Fact => ({
    at,
    value: exactJson(value),
    digests: [digestOf(jsonOf(value))],
  })
  let grown = 0
  for (const [name, value] of Object.entries(set)) grown += add(facts.set, name, factOf(value), LAST)
  for (const name of unset)
    grown += add(facts.set, name, { at, value: NOTHING, digests: [digestOf(NOTHING)] }, LAST)
  for (const [name, value] of Object.entries(setOnce))
    if (name.startsWith(INITIAL)) grown += add(facts.initial, name, factOf(value), FIRST)
  return grown
}

/** Adds the facts of another share of the same person's events. */
export function mergeFacts(into: PersonFacts, from: PersonFacts): void {
  for (const [name, fact] of from.set) add(into.set, name, fact, LAST)
  for (const [name, fact] of from.initial) add(into.initial, name, fact, FIRST)
}

function add(facts: Facts, name: string, fact: Fact, wins: Rule): number {
  const known = facts.get(name)
  if (!known) {
    facts.set(name, { ...fact, digests: [...fact.digests] })
    return name.length + fact.value.length + ENTRY
  }
  let grown = 0
  for (const digest of fact.digests) if (addDigest(known.digests, digest)) grown += DIGEST_LETTERS
  if (wins(fact.at, known)) Object.assign(known, { at: fact.at, value: fact.value })
  return grown
}

// Lists, since a property can have any name, `__proto__` too.
const row = z.tuple([z.string(), z.number(), z.string(), z.array(z.string())])
const factsSchema = z.object({ set: z.array(row), initial: z.array(row) })

/** Facts as one line of JSON. */
export function encodeFacts({ set, initial }: PersonFacts): string {
  const rows = (facts: Facts) =>
    [...facts].map(([name, { at, value, digests }]) => [name, at, value, digests])
  return JSON.stringify({ set: rows(set), initial: rows(initial) })
}

/** Facts as `encodeFacts` wrote them. */
export function decodeFacts(text: string): PersonFacts {
  const { set, initial } = factsSchema.parse(JSON.parse(text))
  const facts = (rows: typeof set): Facts =>
    new Map(rows.map(([name, at, value, digests]) => [name, { at, value, digests }]))
  return { set: facts(set), initial: facts(initial) }
}

/** True if the history wrote this value; `undefined` is what `$unset` leaves. */
export function hasWritten({ digests }: Pick<Fact, 'digests'>, value: unknown): boolean {
  return digests.includes(digestOf(value === undefined ? NOTHING : jsonOf(value)))
}

/** JSON in one spelling, so that values that are equal in the service are equal texts: it holds doubles, and no NUL. */
export function jsonOf(value: unknown): string {
  return canonicalJson(roundedJson(value).replaceAll('\\u0000', '\ufffd'))
}

/** What an entry costs besides its texts. */
const ENTRY = 150

function addDigest(digests: string[], digest: string): boolean {
  // Most events repeat the value before.
  if (digests.at(-1) === digest || digests.includes(digest)) return false
  digests.push(digest)
  if (digests.length > MOST_DIGESTS) digests.shift()
  return true
}

/** A short text is its own digest. */
function digestOf(json: string): string {
  if (json.length <= DIGEST_LETTERS) return json
  return `#${createHash('sha1').update(json).digest('base64').slice(0, DIGEST_LETTERS)}`
}
