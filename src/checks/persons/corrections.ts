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
import { parseExact } from '../../record/json-values.ts'
import { isIllegalId } from '../../record/nobody.ts'
import type { PersonWriteValues } from '../../record/rules.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { ownOf } from '../../text/json.ts'
import { encodeFacts, type History, hasWritten, jsonOf, mergedFacts, type PersonFacts } from './history.ts'
import {
  ASKED_PERSONS,
  chunksOf,
  joined,
  type LivePerson,
  type LiveRow,
  type PersonPair,
  type PersonService,
  propertiesOf,
} from './live.ts'

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
    else if (live.last === null || facts.at <= live.last) put(name, live.properties[name])
  }
  const byFirst = [...before].sort((a, b) => (a.first ?? Infinity) - (b.first ?? Infinity))
  for (const [name, facts] of history.initial) {
    if (history.set.has(name)) continue
    const live = byFirst.find(({ properties }) => Object.hasOwn(properties, name))
    const isLiveFirst = live?.first != null && live.first <= facts.at
    const wanted = isLiveFirst ? live.properties[name] : parseExact(facts.value)
    const now = ownOf(after, name)
    if (now !== undefined && jsonOf(now) === jsonOf(wanted)) continue
    const isKnown = now === undefined || !live || isLive(before, name, now) || hasWritten(facts, now)
    if (isKnown) put(name, wanted)
    else newer.push(name)
  }
  return { set, setOnce, newer }
}

function isLive(before: readonly LivePerson[], name: string, now: unknown): boolean {
  if (now === undefined) return false
  const json = jsonOf(now)
  return before.some(({ properties }) => Object.hasOwn(properties, name) && jsonOf(properties[name]) === json)
}

/** `__proto__` is a property like any other. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Longer ids are dropped by the capture service, though an event may join one to a person. */
const MOST_ID_BYTES = 200

/** What is put right on a person, under one of its distinct ids. */
export interface Correction {
  readonly distinctId: string
  readonly decision: Decision
}

interface TouchedOptions {
  readonly history: Pick<History, 'facts'>
  /** The persons as the project had them, in the order of the distinct ids. */
  readonly before: AsyncIterable<LiveRow>
  /** The persons that the history's distinct ids lead to now, in the order of the ids. */
  readonly now: AsyncIterable<PersonPair>
  /** For what does not fit into memory. */
  readonly folder: string
}

/** A distinct id of a person, and its live person, if it had one. */
interface Member {
  readonly id: string
  readonly live: LivePerson | null
}

interface Touched {
  readonly person: string
  readonly members: readonly Member[]
  readonly facts: PersonFacts
}

/**
 * What is to be put right, a person at a time, now that the history has arrived. Ids that have become one person since
 * count together. Memory is that of a few hundred persons.
 */
export async function* corrections(
  service: Pick<PersonService, 'properties'>,
  options: TouchedOptions,
): AsyncGenerator<Correction> {
  for await (const some of touchedPersons(options)) {
    const persons = some.map(({ person }) => person)
    const after = await propertiesOf(service, persons)
    for (const touched of some) {
      const now = after.get(touched.person)
      const { members, facts } = touched
      const distinctId = members.map(({ id }) => id).find(isTaken)
      if (now && distinctId !== undefined)
        yield { distinctId, decision: decide(livePersons(members), facts, now) }
    }
  }
}

/** True if the service takes an event of this distinct id, by either route, and has a person for it. */
function isTaken(id: string): boolean {
  return !isIllegalId(id) && id === id.trim() && Buffer.byteLength(id) <= MOST_ID_BYTES
}

async function* touchedPersons(options: TouchedOptions): AsyncGenerator<readonly Touched[]> {
  const { history, folder } = options
  const members = await membersByPerson(options)
  const [persons, facts] = [new SortedLines(folder, 'touched'), new SortedLines(folder, 'facts')]
  try {
    for (const [person, texts] of members.groups()) {
      const all = texts.map(memberOf)
      if (all.some(({ live }) => live)) for (const { id } of all) persons.add(id, person)
    }
    for (const [, [person], of] of joined(persons.groups(), history.facts())) {
      if (person !== undefined) facts.add(person, encodeFacts(of))
    }
    yield* chunksOf(withFacts(members, facts), ASKED_PERSONS)
  } finally {
    for (const lines of [members, persons, facts]) lines.remove()
  }
}

/** The distinct ids of the history under the person that they lead to now. */
async function membersByPerson({ before, now, folder }: TouchedOptions): Promise<SortedLines> {
  const members = new SortedLines(folder, 'members')
  const rows = before[Symbol.asyncIterator]()
  try {
    let row = await rows.next()
    for await (const [id, person] of now) {
      while (!row.done && row.value.id < id) row = await rows.next()
      const live = !row.done && row.value.id === id ? row.value.person : null
      members.add(person, JSON.stringify({ id, live } satisfies Member))
    }
  } finally {
    await rows.return?.(undefined)
  }
  return members
}

/** The persons that have facts, with these and with their distinct ids. */
function* withFacts(members: SortedLines, facts: SortedLines): Generator<Touched> {
  for (const [person, ids, texts] of joined(members.groups(), facts.groups())) {
    yield { person, members: ids.map(memberOf), facts: mergedFacts(texts) }
  }
}

/** Each live person once. */
function livePersons(members: readonly Member[]): LivePerson[] {
  const all = members.flatMap(({ live }) => live ?? [])
  return [...new Map(all.map((live) => [live.person, live])).values()]
}

/** A line that `membersByPerson` wrote, in this run. */
function memberOf(text: string): Member {
  return JSON.parse(text) as Member
}
