import { readableJson } from '../../record/json-values.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { foretold } from './corrections.ts'
import { History, type HistoryOptions } from './history.ts'
import {
  ASKED_PERSONS,
  MOST_QUESTIONS,
  type PersonService,
  pairQuestions,
  pairsOf,
  readLive,
} from './live.ts'

/** What an import would do to persons. */
export interface PersonsPlan {
  /** Distinct ids of the input, and those that the project has; null if that takes too many questions. */
  readonly ids: number
  readonly known: number | null
  /** What an import asks the project for its persons, about. */
  readonly questions: number
  /** What would be put right; null if that takes too many questions. */
  readonly corrected: Corrected | null
}

interface Corrected {
  /** Persons of the project that would be put right, and by how many values of each property. */
  readonly persons: number
  readonly properties: Readonly<Record<string, number>>
  /** A few of them: the value that the project has, or the first one of the history. */
  readonly examples: readonly PersonExample[]
}

interface PersonExample {
  readonly distinctId: string
  readonly property: string
  readonly value: unknown
}

/** So many examples are shown. */
const EXAMPLES = 5

/** Foretells what an import that keeps persons would put right; undefined if the project has none of the persons. Sends nothing. */
export async function planPersons(
  service: PersonService,
  input: Omit<HistoryOptions, 'idsOnly'>,
  mostQuestions = MOST_QUESTIONS,
): Promise<PersonsPlan | undefined> {
  const there = await service.countDistinctIds()
  if (there === 0) return undefined
  const { folder } = input
  const history = await History.read({ ...input, idsOnly: false })
  const pairs = new SortedLines(folder, 'pairs')
  try {
    const { ids } = history
    const asked = pairQuestions(ids, there)
    // Each is asked before the history and after it.
    const inAll = (some: number) => 2 * asked + 3 * Math.ceil(some / ASKED_PERSONS)
    if (asked > mostQuestions)
      return { ids, known: null, questions: inAll(Math.min(ids, there)), corrected: null }
    let known = 0
    for await (const [id, person] of pairsOf(service, history, folder)) {
      pairs.add(id, person)
      known++
    }
    if (known === 0) return undefined
    const isTooMuch = asked + 2 * Math.ceil(known / ASKED_PERSONS) > mostQuestions
    const corrected = isTooMuch ? null : await correctedBy(service, history, pairs, folder)
    return { ids, known, questions: inAll(known), corrected }
  } finally {
    pairs.remove()
    history.remove()
  }
}

async function correctedBy(
  service: PersonService,
  history: History,
  pairs: SortedLines,
  folder: string,
): Promise<Corrected> {
  const properties: Record<string, number> = Object.create(null)
  const examples: PersonExample[] = []
  let persons = 0
  async function* rows() {
    for await (const chunk of readLive(service, each(pairs.read()), history)) yield* chunk.rows
  }
  const touched = { history, before: rows(), now: each(pairs.read()), folder }
  for await (const { distinctId, decision } of foretold(touched)) {
    const values = Object.entries({ ...decision.setOnce, ...decision.set })
    if (values.length > 0) persons++
    for (const [property, value] of values) {
      properties[property] = (properties[property] ?? 0) + 1
      if (examples.length < EXAMPLES && !examples.some((one) => one.property === property))
        examples.push({ distinctId, property, value: JSON.parse(readableJson(value)) })
    }
  }
  return { persons, properties, examples }
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
