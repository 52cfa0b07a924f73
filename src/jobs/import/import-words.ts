import { type KeepReport, MOST_QUESTIONS, type PersonExample, type PersonsPlan } from '../../checks/index.ts'
import {
  PERSONLESS,
  type Remarks,
  type SharedPeople,
  sharedWords,
  VIA_WORDS,
  type Via,
} from '../../delivery/index.ts'
import { FILE_IMPORT_ID, importIdsOf, type Notes } from '../../record/index.ts'
import { fold, number, plural, REMARK, visible } from '../../text/index.ts'
import type { CheckResult } from '../check/result.ts'
import { allNames } from '../summary.ts'
import type { ImportResult } from './result.ts'

type PlannedPersons = NonNullable<CheckResult['persons']>
type PersonShown = NonNullable<PlannedPersons['examples']>[number]

/** So many properties are named. */
const MOST_NAMES = 6
const MOST_COLUMNS = 80
/** So much of an id and of a property's name is shown; the value has the rest of the line. */
const MOST_PLACE = 24

/** What became of persons that the project had before. */
export function keptLines(persons: KeepReport | undefined): string[] {
  if (!persons) return []
  const { ids, settled } = persons
  if (!settled) {
    const [are, persons] = ids === 1 ? ['is', 'its person is'] : ['are', 'their persons are']
    const text = `${plural(ids, 'distinct id')} of the project ${are} in the input; ${persons} put right at its end`
    return fold(text, REMARK, '  persons   ')
  }
  const { persons: put, properties, newer } = settled
  const left = newer === 0 ? '' : `; ${number(newer)} changed since by live events, and left`
  const text =
    put === 0
      ? `the project had ${plural(ids, 'distinct id')} of the input; nothing was to be put right${left}`
      : `${number(put)} put right, as the project had them: ${plural(properties, 'value')}${left}`
  return fold(text, REMARK, '  persons   ')
}

/** The same as JSON. */
export function keptJson(persons: KeepReport | undefined) {
  if (!persons) return null
  const { ids, takenAt, settled } = persons
  return {
    distinct_ids: ids,
    taken_at: takenAt,
    put_right: settled && { persons: settled.persons, values: settled.properties, newer: settled.newer },
  }
}

/** What an import would do to persons that the project has, as results say it. */
export function planPersonsJson(plan: PersonsPlan | undefined): PlannedPersons | null {
  if (!plan) return null
  const { ids, known, questions, corrected } = plan
  return {
    distinct_ids: ids,
    in_project: known,
    questions,
    put_right: corrected?.persons ?? null,
    properties: corrected ? { ...corrected.properties } : null,
    examples: corrected?.examples.map(exampleJson) ?? null,
  }
}

function exampleJson({ distinctId, property, value }: PersonExample) {
  return { distinct_id: distinctId, property, value }
}

/** The same for a person. */
export function planLines(plan: PlannedPersons | null): string[] {
  if (!plan) return []
  const { distinct_ids: ids, in_project: known, questions, put_right: persons, properties, examples } = plan
  const share = known === null ? 'the input has' : `the project has ${number(known)} of`
  const text = `${share} ${plural(ids, 'distinct id')}; `
  if (persons === null) {
    const asks = `to say what will be put right takes more than ${MOST_QUESTIONS} questions; import will ask about ${number(questions)}, and the service takes 2,400 an hour`
    return fold(text + asks, REMARK, '  persons   ')
  }
  const names = Object.entries(properties ?? {}).sort(([, a], [, b]) => b - a)
  const some = names.slice(0, MOST_NAMES).map(([name, count]) => `${name} ${number(count)}`)
  const listed = [...some, ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ')
  const what =
    persons === 0
      ? 'nothing has to be put right'
      : `${plural(persons, 'person')} will be put right afterwards (--keep-persons): ${listed}`
  return [...fold(visible(text + what), REMARK, '  persons   '), ...(examples ?? []).map(exampleLine)]
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

/** The route of an import, if it is not the usual one. */
export function viaLines(via: Via): string[] {
  return via === 'batch' ? [] : [`  by        ${VIA_WORDS[via]}`]
}

/** What Capture V1 said of events that it took, and of how many it said nothing known. `verify`: the command that verifies, if it is known. */
export function remarkLines({ warnings, unmerged, unknown }: Remarks, verify?: string): string[] {
  const { [PERSONLESS]: personless = 0, ...others } = warnings
  const warn = (text: string) => fold(text, REMARK, '  warning   ')
  const lines: string[] = []
  if (personless > 0) {
    lines.push(...warn(`stored without person and groups: ${plural(personless, 'event')} (${PERSONLESS})`))
  }
  const lost = allNames(unmerged)
  if (lost !== '') lines.push(...warn(`these merged no people, and changed no person or group: ${lost}`))
  const said = allNames(others)
  if (said !== '') lines.push(...warn(`stored, with a warning of the service: ${said}`))
  if (unknown > 0) {
    const look = verify === undefined ? 'compare the counts in the project' : `${verify} tells`
    lines.push(
      ...warn(`unconfirmed: the service gave no known answer for ${plural(unknown, 'event')}; ${look}`),
    )
  }
  return lines
}

/** The same for the JSON of a summary. */
export function remarksJson(via: Via, { warnings, unmerged, unknown }: Remarks) {
  return { via, warnings: { ...warnings }, unmerged: { ...unmerged }, unknown_answers: unknown }
}

/** The ids by which `undo` finds what files brought; null of a dataset, whose manifest has them, and where too many have their own. */
export function fileImportIds(kind: 'dataset' | 'file' | 'files', notes: Notes): string[] | null {
  return kind === 'dataset' ? null : importIdsOf(FILE_IMPORT_ID, notes)
}

/** The same for a person, a line each. */
export function importIdLines(kind: 'dataset' | 'file' | 'files', notes: Notes): string[] {
  return (fileImportIds(kind, notes) ?? []).map((id) => `  id        ${visible(id)}`)
}

/** What a summary says of imports of the same people, which `--any-order` let pass. */
export function sharedLines(shared: readonly SharedPeople[] = []): string[] {
  return shared.flatMap((one) =>
    fold(
      `${visible(sharedWords(one))}: their last values and merges of ids may be wrong`,
      REMARK,
      '  warning   ',
    ),
  )
}

/** The same as JSON. */
export function sharedJson(shared: readonly SharedPeople[] = []): ImportResult['shared_people'] {
  return shared.map(({ dataset, checkpoint, ids, error }) => ({ dataset, checkpoint, ids, error }))
}
