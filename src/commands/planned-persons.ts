import type { PersonsPlan } from '../checks/persons/live.ts'
import type { plannedPersons as plannedPersonsPart, ValueOf } from '../result-parts.ts'
import { number, plural } from '../text/words.ts'
import { labelled } from './lines.ts'

type PlannedPersons = ValueOf<typeof plannedPersonsPart>

/** What an import finds of persons that the project has. */
export function plannedPersons(plan: PersonsPlan | undefined): PlannedPersons | null {
  if (!plan) return null
  return { distinct_ids: plan.ids, in_project: plan.known, questions: plan.questions }
}

/** The same for a person. */
export function planLines(plan: PlannedPersons | null): string[] {
  if (!plan) return []
  const { distinct_ids: ids, in_project: known, questions } = plan
  const share = known === null ? 'the input has' : `the project has ${number(known)} of`
  const asks = `import asks for them, about ${plural(questions, 'question')}, and puts right afterwards what live events had set`
  return labelled('persons', `${share} ${plural(ids, 'distinct id')}; ${asks}`)
}
