import { isIllegalId } from '../../record/illegal-id.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { type Decision, decide, foretell, type LivePerson } from './decide.ts'
import { decodeFacts, encodeFacts, mergeFacts, newFacts, type PersonFacts } from './facts.ts'
import type { History } from './history.ts'
import { joined } from './join-sorted.ts'
import {
  ASKED_PERSONS,
  chunksOf,
  type LiveRow,
  type PersonPair,
  type PersonService,
  propertiesOf,
} from './live.ts'

/** Longer ids are dropped by the capture service, though an event may join one to a person. */
const MOST_ID_BYTES = 200

/** What is put right on a person, under one of its distinct ids. */
export interface Correction {
  readonly distinctId: string
  readonly decision: Decision
}

export interface TouchedOptions {
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

/** A person that the project had and that the history writes on. */
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
    const after = await propertiesOf(
      service,
      some.map(({ person }) => person),
    )
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

/** The same before the history is sent, as far as it can be foretold. */
export async function* foretold(options: TouchedOptions): AsyncGenerator<Correction> {
  for await (const some of touchedPersons(options)) {
    for (const { members, facts } of some) {
      const before = livePersons(members)
      yield { distinctId: members[0]!.id, decision: decide(before, facts, foretell(before, facts)) }
    }
  }
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

function mergedFacts(texts: readonly string[]): PersonFacts {
  const all = newFacts()
  for (const text of texts) mergeFacts(all, decodeFacts(text))
  return all
}

/** A line that `membersByPerson` wrote, in this run. */
function memberOf(text: string): Member {
  return JSON.parse(text) as Member
}
