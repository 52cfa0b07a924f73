import { MAPPED_FIELDS } from '../../mapping/mapping.ts'
import { isTooDeep } from '../../mapping/settings-text.ts'
import { ownOf } from '../../text/json.ts'
import type { EditableField, SetupQuestion } from '../studio-data.ts'
import { answersOf, type QuestionPlace } from './answers.ts'
import {
  areRowsPeople,
  columnsIn,
  isOpen,
  keysIn,
  pathOfColumn,
  ruleOf,
  saidPaths,
  textsAt,
} from './said-columns.ts'

/**
 * What the text of a mapping says of the set-up, also where it has a fault, and what it asks; null for a text that is no map.
 * `unique`: columns with another value in each row of the sample.
 */
export function setupOf(yaml: string, hasColumns: boolean, unique: readonly string[] = []) {
  const keys = keysIn(yaml)
  if (keys === undefined) return null
  const paths = Object.fromEntries(MAPPED_FIELDS.map((field) => [field, saidPaths(keys, field)]))
  const dayAndTime = textsAt(keys, 'fields', 'time')
  const taken = [...Object.values(paths).flat(), ...dayAndTime]
  const said = columnsIn(keys)
  const isFree = (column: string) =>
    ruleOf(ownOf(said.columns, column)).type === 'text' && !taken.includes(pathOfColumn(column, said))
  const questions = questionsIn(yaml).map(({ text, about, section }): SetupQuestion => {
    return { text, about, answers: answersOf(text, { section, key: about }, keys) }
  })
  const rows = areRowsPeople(keys) ? ('people' as const) : ('events' as const)
  return {
    /** Paths that a field takes: the first with a value. */
    fields: paths as unknown as Readonly<Record<EditableField, readonly string[]>>,
    /** Fields that a draft leaves to be filled in: until then the file can't be used. */
    missing: MAPPED_FIELDS.filter((field) => isOpen(keys, field)),
    /** The paths of the day and of the time of day, in place of `fields.timestamp`. */
    dayAndTime,
    zone: textsAt(keys, 'source_timezone')[0] ?? null,
    /** Forms of times. */
    formats: textsAt(keys, 'time_format'),
    questions,
    /** True for a table of text, whose columns can have types. Names of columns that the file itself lacks are in no header. */
    hasColumns: hasColumns && !('columns_from' in keys) && !('columns_header' in keys),
    rows,
    /** Columns that no field takes: each may be the id of the event. */
    unique: rows === 'people' ? [] : unique.filter(isFree),
  }
}

/** What the text of a mapping asks, each with the key that it stands below. */
export function questionsIn(yaml: string) {
  return setupQuestionLines(yaml).map(({ text, from }) => {
    const { section, key: about } = placeOf(yaml, from)
    return { text, about, section }
  })
}

/** The key that a line is about: the one above it, with the section that it is in. */
function placeOf(yaml: string, line: number): QuestionPlace {
  const above = yaml.split('\n').slice(0, line).reverse()
  const sectionOf = (text: string) => /^([\w$]+):/.exec(text)?.[1]
  const section = above.map(sectionOf).find((name) => name !== undefined) ?? ''
  for (const text of above) {
    if (text === '') break
    // Of a section itself nothing is asked.
    if (sectionOf(text) !== undefined) return { section, key: /: *\S/.test(text) ? section : '' }
    const key = keyIn(text)
    if (key !== undefined) return { section, key }
  }
  return { section, key: '' }
}

/** The key of a line of a section; of a column that nothing is said of, a comment has the name. */
function keyIn(line: string): string | undefined {
  const quoted = /^ +("(?:[^"\\]|\\.)*"):/.exec(line)?.[1]
  if (quoted !== undefined) {
    try {
      return JSON.parse(quoted) as string
    } catch {
      return undefined
    }
  }
  return /^ +([^\s#"'][^:]*):/.exec(line)?.[1] ?? /^ +# (\S.*?) +# /.exec(line)?.[1]
}

/** A question that `posthaul init` wrote as a comment. Of its further lines, `comment` of draft/yaml-text.ts makes three blanks. */
const QUESTION = /^[ \t]*# +\? .*(?:\n[ \t]*# {3}(?!\? )\S.*)*$/gm
const INTRODUCTION = /^# A line with "\?" is a question/

/** The questions in the order of the text, each with its lines from 0: its first, and the one after its last. */
function setupQuestionLines(yaml: string) {
  return [...yaml.matchAll(QUESTION)].map(({ 0: comment, index }) => {
    const lines = comment.split('\n')
    const from = yaml.slice(0, index).split('\n').length - 1
    const text = lines.map((line) => line.replace(/^\s*# +(?:\? )?/, '')).join(' ')
    return { text, from, to: from + lines.length }
  })
}

/** The text without a question; as it is where it has no such question. The last one takes the line that explains them along. */
export function settleQuestion(yaml: string, question: string): string {
  if (isTooDeep(yaml)) return yaml
  const questions = setupQuestionLines(yaml)
  const found = questions.find(({ text }) => text === question)
  if (!found) return yaml
  const isLast = questions.length === 1
  return yaml
    .split('\n')
    .filter((line, at) => (at < found.from || at >= found.to) && !(isLast && INTRODUCTION.test(line)))
    .join('\n')
}
