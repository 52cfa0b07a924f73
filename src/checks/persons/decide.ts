/*
 * What is put right on a person after a history came late.
 *
 * The service compares no times: `$set` keeps what arrived last, `$initial_…` what arrived first. A history that arrives
 * after live events leaves the person with its own last values, and with the live events' first touch. Had all come in
 * order, the live values would have been written last, and the history's first ones first.
 *
 * So, of the properties that the history wrote:
 *   `$set`         has the live value again, as the snapshot has it, unless the history wrote after the last live event
 *   `$initial_…`   has the history's first value, unless the live events begin before that
 *   a value that neither the snapshot nor the history has was written by a live event since: it is left alone
 *
 * What nobody knows: which property a live event wrote by `$set_once` (others than `$initial_…` count as `$set`, and one
 * that the history only gives by `$set_once` is left as the service left it); a live `$unset` before the snapshot; a live
 * value of the time of the import that the history wrote over.
 */
import { parseExact } from '../../record/exact-json.ts'
import type { PersonWriteValues } from '../../record/person-writes.ts'
import { hasWritten, jsonOf, type PersonFacts } from './facts.ts'

/** A person as the project had it before the import. */
export interface LivePerson {
  readonly person: string
  /** When its first and its last event happened, in microseconds; null if it has none, or all are after the history. */
  readonly first: number | null
  readonly last: number | null
  readonly properties: PersonWriteValues
}

/** What to write on a person, and what to leave alone. */
export interface Decision {
  readonly set: PersonWriteValues
  /** Where the person has nothing. */
  readonly setOnce: PersonWriteValues
  /** Properties that a live event changed since the snapshot. */
  readonly newer: readonly string[]
}

/**
 * Decides what is put right on one person. `before`: the live persons that it was made of, each once. `after`: its
 * properties now. Pure.
 */
export function decide(
  before: readonly LivePerson[],
  history: PersonFacts,
  after: PersonWriteValues,
): Decision {
  const set: Record<string, unknown> = {}
  const setOnce: Record<string, unknown> = {}
  const newer: string[] = []
  const put = (name: string, value: unknown) => {
    define(Object.hasOwn(after, name) ? set : setOnce, name, value)
  }
  const byLast = [...before].sort((a, b) => (b.last ?? Infinity) - (a.last ?? Infinity))
  for (const [name, facts] of history.set) {
    const live = byLast.find(({ properties }) => Object.hasOwn(properties, name))
    if (!live) continue
    const now = ownOf(after, name)
    if (isLive(before, name, now)) continue
    if (!hasWritten(facts, now)) newer.push(name)
    else if (live.last === null || facts.last <= live.last) put(name, live.properties[name])
  }
  const byFirst = [...before].sort((a, b) => (a.first ?? Infinity) - (b.first ?? Infinity))
  for (const [name, facts] of history.initial) {
    if (history.set.has(name)) continue
    const live = byFirst.find(({ properties }) => Object.hasOwn(properties, name))
    const isLiveFirst = live?.first != null && live.first <= facts.first
    const wanted = isLiveFirst ? live.properties[name] : parseExact(facts.value)
    const now = ownOf(after, name)
    if (now !== undefined && jsonOf(now) === jsonOf(wanted)) continue
    const isKnown = now === undefined || !live || isLive(before, name, now) || hasWritten(facts, now)
    if (isKnown) put(name, wanted)
    else newer.push(name)
  }
  return { set, setOnce, newer }
}

/** The properties that a person will have once the history has arrived, as far as that can be foretold. */
export function foretell(before: readonly LivePerson[], history: PersonFacts): PersonWriteValues {
  const after: Record<string, unknown> = {}
  for (const { properties } of before.toReversed())
    for (const [name, value] of Object.entries(properties)) define(after, name, value)
  for (const [name, { value }] of history.set) {
    if (value === '') delete after[name]
    else define(after, name, parseExact(value))
  }
  for (const [name, { value }] of history.initial)
    if (!Object.hasOwn(after, name)) define(after, name, parseExact(value))
  return after
}

function isLive(before: readonly LivePerson[], name: string, now: unknown): boolean {
  if (now === undefined) return false
  const json = jsonOf(now)
  return before.some(({ properties }) => Object.hasOwn(properties, name) && jsonOf(properties[name]) === json)
}

function ownOf(values: PersonWriteValues, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** `__proto__` is a property like any other. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
