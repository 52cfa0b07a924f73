import { History, type HistoryOptions } from './history.ts'
import { ASKED_PERSONS, MOST_QUESTIONS, type PersonService, pairQuestions, pairsOf } from './live.ts'

/** What an import would do to persons. */
export interface PersonsPlan {
  /** Distinct ids of the input, and those that the project has; null if that takes too many questions. */
  readonly ids: number
  readonly known: number | null
  /** What an import asks the project for its persons, about. */
  readonly questions: number
}

/** Foretells which persons an import that keeps persons finds in the project; undefined if the project has none of the persons. Sends nothing. */
export async function planPersons(
  service: PersonService,
  input: Omit<HistoryOptions, 'idsOnly'>,
  mostQuestions = MOST_QUESTIONS,
): Promise<PersonsPlan | undefined> {
  const there = await service.countDistinctIds()
  if (there === 0) return undefined
  const { folder } = input
  const history = await History.read({ ...input, idsOnly: true })
  try {
    const { ids } = history
    const asked = pairQuestions(ids, there)
    // Each is asked before the history and after it.
    const inAll = (some: number) => 2 * asked + 3 * Math.ceil(some / ASKED_PERSONS)
    if (asked > mostQuestions) return { ids, known: null, questions: inAll(Math.min(ids, there)) }
    let known = 0
    for await (const _ of pairsOf(service, history, folder)) known++
    if (known === 0) return undefined
    return { ids, known, questions: inAll(known) }
  } finally {
    history.remove()
  }
}
