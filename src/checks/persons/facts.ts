import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson, exactJson, INITIAL, type PersonWrites, roundedJson } from '../../record/index.ts'

/** Digests of a property's values that are kept: of more, the last ones. */
const MOST_DIGESTS = 1000
const DIGEST_LETTERS = 12

/** What `$unset` leaves: no value. */
export const NOTHING = ''

/** What a history's `$set` did to a property of a distinct id. */
interface Written {
  /** When it was written last, in microseconds. */
  last: number
  /** The last value, as JSON; NOTHING if it was unset. */
  value: string
  /** Digests of all its values, in the order in which they were written first. */
  digests: string[]
}

/** The first value that a history gives an `$initial_…` property. */
interface First {
  first: number
  value: string
  /** Digests of all values that `$set_once` would have given it. */
  digests: string[]
}

/** What a history writes on the person of a distinct id. */
export interface PersonFacts {
  readonly set: Map<string, Written>
  readonly initial: Map<string, First>
}

export function newFacts(): PersonFacts {
  return { set: new Map(), initial: new Map() }
}

/** Adds what one event writes, after those before it. Returns how many characters the facts grew by, roughly. */
export function addWrites(facts: PersonFacts, { set, setOnce, unset }: PersonWrites, at: number): number {
  let grown = 0
  for (const [name, value] of Object.entries(set))
    grown += write(facts, name, at, exactJson(value), jsonOf(value))
  for (const name of unset) grown += write(facts, name, at, NOTHING, NOTHING)
  for (const [name, value] of Object.entries(setOnce)) {
    if (!name.startsWith(INITIAL)) continue
    const [json, digest] = [exactJson(value), digestOf(jsonOf(value))]
    const known = facts.initial.get(name)
    if (!known) {
      facts.initial.set(name, { first: at, value: json, digests: [digest] })
      grown += name.length + json.length + ENTRY
      continue
    }
    if (at < known.first) Object.assign(known, { first: at, value: json })
    if (addDigest(known.digests, digest)) grown += DIGEST_LETTERS
  }
  return grown
}

/** Adds the facts of another share of the same person's events. */
export function mergeFacts(into: PersonFacts, from: PersonFacts): void {
  for (const [name, other] of from.set) {
    const known = into.set.get(name)
    if (!known) {
      into.set.set(name, { ...other, digests: [...other.digests] })
      continue
    }
    for (const digest of other.digests) addDigest(known.digests, digest)
    if (other.last >= known.last) Object.assign(known, { last: other.last, value: other.value })
  }
  for (const [name, other] of from.initial) {
    const known = into.initial.get(name)
    if (!known) {
      into.initial.set(name, { ...other, digests: [...other.digests] })
      continue
    }
    for (const digest of other.digests) addDigest(known.digests, digest)
    if (other.first < known.first) Object.assign(known, { first: other.first, value: other.value })
  }
}

// Lists, since a property can have any name, `__proto__` too.
const row = z.tuple([z.string(), z.number(), z.string(), z.array(z.string())])
const factsSchema = z.object({ set: z.array(row), initial: z.array(row) })

/** Facts as one line of JSON. */
export function encodeFacts({ set, initial }: PersonFacts): string {
  return JSON.stringify({
    set: [...set].map(([name, { last, value, digests }]) => [name, last, value, digests]),
    initial: [...initial].map(([name, { first, value, digests }]) => [name, first, value, digests]),
  })
}

/** Facts as `encodeFacts` wrote them. */
export function decodeFacts(text: string): PersonFacts {
  const { set, initial } = factsSchema.parse(JSON.parse(text))
  return {
    set: new Map(set.map(([name, last, value, digests]) => [name, { last, value, digests }])),
    initial: new Map(initial.map(([name, first, value, digests]) => [name, { first, value, digests }])),
  }
}

/** True if the history wrote this value; `undefined` is what `$unset` leaves. */
export function hasWritten({ digests }: Pick<Written, 'digests'>, value: unknown): boolean {
  return digests.includes(digestOf(value === undefined ? NOTHING : jsonOf(value)))
}

/** JSON in one spelling, so that values that are equal in the service are equal texts: it holds doubles, and no NUL. */
export function jsonOf(value: unknown): string {
  return canonicalJson(roundedJson(value).replaceAll('\\u0000', '\ufffd'))
}

/** What an entry costs besides its texts. */
const ENTRY = 150

function write({ set }: PersonFacts, name: string, at: number, json: string, compared: string): number {
  const known = set.get(name)
  if (!known) {
    set.set(name, { last: at, value: json, digests: [digestOf(compared)] })
    return name.length + json.length + ENTRY
  }
  const isNew = addDigest(known.digests, digestOf(compared))
  if (at >= known.last) Object.assign(known, { last: at, value: json })
  return isNew ? DIGEST_LETTERS + ENTRY / 2 : 0
}

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
