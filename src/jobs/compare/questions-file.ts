import type { Chart, ChartEvents, ChartFilter, ChartQuery } from '../../charts/index.ts'
import { readSettings } from '../../mapping/index.ts'
import { readNamed } from '../../store/index.ts'
import { chartName } from './chart-name.ts'
import {
  ASKS,
  type EventsInput,
  type QuestionInput,
  questionsSchema,
  type WhereInput,
} from './questions-schema.ts'

/** A question that is one chart, or a saved report of the vendor, whose charts the vendor tells. */
export type ComparedQuestion =
  | { readonly chart: Chart }
  | { readonly report: string; readonly name: string | undefined }

const QUESTIONS_FILE = {
  schema: questionsSchema,
  what: 'a file of questions',
  exactNumbers: false,
  examples: {
    '': 'questions: [{ count: signed_up }]',
    questions: '- count: signed_up',
  },
}

const DEFAULT_WINDOW_DAYS = 14
const DEFAULT_PERIODS = 8

/** The members that go with each kind of question, besides its name. */
const WITH: Readonly<Record<(typeof ASKS)[number], readonly (keyof QuestionInput)[]>> = {
  count: ['by', 'where', 'interval'],
  unique: ['by', 'where', 'interval'],
  sum: ['event', 'by', 'where', 'interval'],
  average: ['event', 'by', 'where', 'interval'],
  funnel: [],
  retention: [],
  report: [],
  people: [],
}

/** Reads a file of questions. Code `config` for what it may not say, with line and column. */
export async function loadQuestions(path: string): Promise<ComparedQuestion[]> {
  return parseQuestions(
    await readNamed(path, `there is no file of questions ${path}`, 'check the path'),
    path,
  )
}

/** The questions of a file's text; `name` is for messages. */
export function parseQuestions(text: string, name: string): ComparedQuestion[] {
  const { value, refuse } = readSettings(text, name, QUESTIONS_FILE)
  const names = new Set<string>()
  return value.questions.map((input, at) => {
    const question = questionOf(input, (message, hint) => refuse(['questions', at], message, hint))
    const called = 'chart' in question ? question.chart.name : (question.name ?? `report ${question.report}`)
    if (names.has(called))
      refuse(['questions', at], `${JSON.stringify(called)} is asked twice`, 'give one of them another name:')
    names.add(called)
    return question
  })
}

type RefuseQuestion = (message: string, hint?: string) => never

function questionOf(input: QuestionInput, refuse: RefuseQuestion): ComparedQuestion {
  const ask = ASKS.find((one) => input[one] !== undefined)!
  const stray = (Object.keys(input) as (keyof QuestionInput)[]).find(
    (key) => key !== ask && key !== 'name' && input[key] !== undefined && !WITH[ask].includes(key),
  )
  if (stray !== undefined) {
    const known = WITH[ask].length === 0 ? 'it takes a name: alone' : `it takes ${WITH[ask].join(', ')}`
    refuse(`${stray} does not go with ${ask}`, known)
  }
  if (input.report !== undefined) return { report: input.report, name: input.name }
  const query = queryOf(input)
  return { chart: { name: input.name ?? chartName(query), query, report: null } }
}

function queryOf(input: QuestionInput): ChartQuery {
  if (input.people) return { kind: 'people' }
  if (input.funnel)
    return {
      kind: 'funnel',
      steps: input.funnel.steps.map(eventsIn),
      windowDays: input.funnel.window_days ?? DEFAULT_WINDOW_DAYS,
    }
  if (input.retention) {
    const { start, back = start, period = 'day', periods = DEFAULT_PERIODS } = input.retention
    return { kind: 'retention', start: eventsIn(start), back: eventsIn(back), period, periods }
  }
  const measure = (['count', 'unique', 'sum', 'average'] as const).find((one) => input[one] !== undefined)!
  const isOfProperty = measure === 'sum' || measure === 'average'
  const event = isOfProperty ? (input.event ?? true) : input[measure]!
  return {
    kind: 'series',
    ...eventsIn(event),
    where: filtersIn(input.where),
    measure,
    property: isOfProperty ? input[measure]! : null,
    interval: input.interval ?? 'day',
    by: input.by ?? null,
  }
}

function eventsIn(input: EventsInput): ChartEvents {
  if (typeof input === 'object') return { event: nameIn(input.event), where: filtersIn(input.where) }
  return { event: nameIn(input), where: [] }
}

function nameIn(name: string | true): string | null {
  return name === true ? null : name
}

function filtersIn(where: WhereInput = {}): ChartFilter[] {
  return Object.entries(where).flatMap(([property, condition]): ChartFilter[] => {
    if (typeof condition === 'string' || Array.isArray(condition))
      return [{ property, operator: 'is', values: [condition].flat() }]
    const { set, ...others } = condition
    const filters = (Object.entries(others) as [Exclude<keyof typeof others, 'set'>, string | number][])
      .filter(([, value]) => value !== undefined)
      .map(([operator, value]): ChartFilter => ({ property, operator, values: [value].flat().map(String) }))
    return set === undefined
      ? filters
      : [...filters, { property, operator: set ? 'set' : 'not_set', values: [] }]
  })
}
