import { MOST_QUESTIONS } from '../checks/persons/live.ts'
import type { PersonsPlan } from '../checks/persons/persons-plan.ts'
import type { plannedPersons as plannedPersonsPart, ValueOf } from '../result-parts.ts'
import { REMARK } from '../text/fold.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import { labelled, topNames } from './lines.ts'

type PlannedPersons = ValueOf<typeof plannedPersonsPart>
type PersonShown = NonNullable<PlannedPersons['examples']>[number]

/** So many properties are named. */
const MOST_NAMES = 6
const MOST_COLUMNS = 80
/** So much of an id and of a property's name is shown; the value has the rest of the line. */
const MOST_PLACE = 24

/** What an import would do to persons that the project has. */
export function plannedPersons(plan: PersonsPlan | undefined): PlannedPersons | null {
  if (!plan) return null
  const { ids, known, questions, corrected } = plan
  return {
    distinct_ids: ids,
    in_project: known,
    questions,
    put_right: corrected?.persons ?? null,
    properties: corrected ? { ...corrected.properties } : null,
    examples:
      corrected?.examples.map(({ distinctId, property, value }) => {
        return { distinct_id: distinctId, property, value }
      }) ?? null,
  }
}

/** The same for a person. */
export function planLines(plan: PlannedPersons | null): string[] {
  if (!plan) return []
  const { distinct_ids: ids, in_project: known, questions, put_right: persons, properties, examples } = plan
  const share = known === null ? 'the input has' : `the project has ${number(known)} of`
  const text = `${share} ${plural(ids, 'distinct id')}; `
  if (persons === null) {
    const asks = `to say what will be put right takes more than ${MOST_QUESTIONS} questions; import will ask about ${number(questions)}, and the service takes 2,400 an hour`
    return labelled('persons', text + asks)
  }
  const what =
    persons === 0
      ? 'nothing has to be put right'
      : `${plural(persons, 'person')} will be put right afterwards: ${topNames(properties ?? {}, MOST_NAMES)}`
  return [...labelled('persons', text + what), ...(examples ?? []).map(exampleLine)]
}

/** An example in 80 columns. */
function exampleLine({ distinct_id, property, value }: PersonShown): string {
  const [id, name] = [cut(visible(distinct_id), MOST_PLACE), cut(visible(property), MOST_PLACE)]
  const room = MOST_COLUMNS - REMARK.length - id.length - name.length - ': '.length - ' = '.length
  return `${REMARK}${id}: ${name} = ${cut(visible(JSON.stringify(value)), room)}`
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
