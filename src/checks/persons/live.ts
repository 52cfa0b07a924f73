import { PosthaulError } from '../../errors.ts'
import { parseExact } from '../../record/json-values.ts'
import type { PersonWriteValues } from '../../record/rules.ts'
import { parseTime } from '../../record/time.ts'
import type { AskedProject } from '../../service/api.ts'
import { personsOf } from '../../service/arrived-people.ts'
import {
  allDistinctIds,
  countDistinctIds,
  firstEvent,
  personSpans,
  storedPersons,
} from '../../service/live-persons.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { objectOrEmpty } from '../../text/json.ts'

/** Distinct ids that one query names, and those that one query lists. */
const ASKED_IDS = 1000
const LISTED_IDS = 50_000
/** Persons that are asked for at once. */
export const ASKED_PERSONS = 500

/** For what does not fit into memory: persons' ids and properties, so it must not outlive the run. */
export const PERSONS_FOLDER = 'posthaul-persons-'

export type PersonService = ReturnType<typeof personService>

/** The persons of a project, as the rules on persons ask for them. */
export function personService(project: AskedProject) {
  return {
    countDistinctIds: () => countDistinctIds(project),
    allDistinctIds: () => allDistinctIds(project),
    personsOf: (ids: readonly string[]) => personsOf(project, ids),
    firstEvent: () => firstEvent(project),
    properties: (persons: readonly string[]) => storedPersons(project, persons),
    spans: (persons: readonly string[]) => personSpans(project, persons),
  }
}

/** A distinct id, and the person that it leads to. */
export type PersonPair = readonly [distinctId: string, person: string]

export interface LivePerson {
  readonly person: string
  /** When its first and its last event happened, in microseconds; null if it has none, or all are after the history. */
  readonly first: number | null
  readonly last: number | null
  readonly properties: PersonWriteValues
}

export interface LiveRow {
  readonly id: string
  readonly person: LivePerson
}

/**
 * Finds the persons of these distinct ids, in the order of the ids. Either asks for a thousand ids at a time, or lists
 * all that the project has, whichever takes fewer questions. `folder` is for what does not fit into memory.
 */
export async function* pairsOf(
  service: PersonService,
  wanted: { readonly ids: number; distinctIds(): Iterable<string> },
  folder: string,
): AsyncGenerator<PersonPair> {
  const there = await service.countDistinctIds()
  if (there === 0 || wanted.ids === 0) return
  if (wanted.ids / ASKED_IDS <= there / LISTED_IDS) {
    for await (const some of chunksOf(wanted.distinctIds(), ASKED_IDS)) {
      const persons = await service.personsOf(some)
      for (const id of some) {
        const person = persons.get(id)
        if (person !== undefined) yield [id, person]
      }
    }
    return
  }
  const all = new SortedLines(folder, 'project')
  try {
    for await (const page of service.allDistinctIds()) for (const [id, person] of page) all.add(id, person)
    for (const [id, persons] of joined(all.groups(), keyed(wanted.distinctIds()))) {
      yield [id, persons.at(-1)!]
    }
  } finally {
    all.remove()
  }
}

function* keyed(ids: Iterable<string>): Generator<readonly [id: string, value: undefined]> {
  for (const id of ids) yield [id, undefined]
}

interface LiveQuestion {
  /** The properties that are wanted; undefined: all. */
  readonly names: ReadonlySet<string> | undefined
  /** The time of the history's latest event, in microseconds. */
  readonly until: number
}

/**
 * The live persons of these distinct ids. Their first and last events are asked for only where the history reaches into
 * the project's time: for each question the service reads all events of the project. Else they are null.
 */
export async function* readLive(
  service: PersonService,
  pairs: AsyncIterable<PersonPair>,
  question: LiveQuestion,
): AsyncGenerator<LiveRow[]> {
  let isApart: boolean | undefined
  for await (const some of chunksOf(pairs, ASKED_PERSONS)) {
    if (isApart === undefined) {
      const first = await service.firstEvent()
      isApart = first !== undefined && parseTime(first) > question.until
    }
    yield chunkOfPairs(service, some, question.names, isApart)
  }
}

async function chunkOfPairs(
  service: PersonService,
  pairs: readonly PersonPair[],
  names: ReadonlySet<string> | undefined,
  isApart: boolean,
): Promise<LiveRow[]> {
  const asked = [...new Set(pairs.map(([, person]) => person))]
  const properties = await propertiesOf(service, asked)
  const times = isApart ? [] : await service.spans(asked)
  const spans = new Map(times.map(([id, first, last]) => [id, { first, last }]))
  return pairs.flatMap(([id, person]): LiveRow[] => {
    const all = properties.get(person)
    if (!all) return []
    const span = spans.get(person)
    const live = {
      person,
      first: span ? parseTime(span.first) : null,
      last: span ? parseTime(span.last) : null,
      properties: names ? Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))) : all,
    }
    return [{ id, person: live }]
  })
}

/** The properties of persons, by the person's id. Those that are not there are left out. */
export async function propertiesOf(
  service: Pick<PersonService, 'properties'>,
  persons: readonly string[],
): Promise<ReadonlyMap<string, PersonWriteValues>> {
  const found = new Map<string, PersonWriteValues>()
  for (const [id, properties] of await service.properties(persons)) {
    found.set(id, objectOrEmpty(parsed(properties)))
  }
  return found
}

function parsed(properties: string): unknown {
  try {
    return parseExact(properties === '' ? '{}' : properties)
  } catch (cause) {
    throw new PosthaulError('the project answered with properties of a person that are not JSON', {
      code: 'unavailable',
      cause,
    })
  }
}

/** The items in lists of `size`. */
export async function* chunksOf<T>(items: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let some: T[] = []
  for await (const item of items) {
    some.push(item)
    if (some.length < size) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/** An entry of a list that is in the order of its keys, each of which is there once. */
type Entry<T> = readonly [key: string, value: T]

/** The keys that two lists share, in order, with the value of each list. Closes both lists, however it ends. */
export function* joined<A, B>(
  one: Iterable<Entry<A>>,
  other: Iterable<Entry<B>>,
): Generator<readonly [key: string, one: A, other: B]> {
  const others = other[Symbol.iterator]()
  try {
    let next = others.next()
    for (const [key, value] of one) {
      while (!next.done && next.value[0] < key) next = others.next()
      if (next.done) return
      if (next.value[0] === key) yield [key, value, next.value[1]]
    }
  } finally {
    others.return?.()
  }
}
