import type { ChartCall, ChartFilter, FilterOperator } from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { namesIn } from './query-api.ts'

/*
 * Mixpanel's segmentation expressions (docs.mixpanel.com/reference/segmentation-expressions). The page gives their grammar,
 * and says neither how a quote in a string is escaped nor whether `in` heeds case. Strings are escaped here as JSON
 * escapes them, and a chart whose filter says `contains` has a note.
 */

const OPERATORS: Readonly<Record<FilterOperator, (property: string, values: readonly string[]) => string>> = {
  is: (property, values) => anyOf(values.map((value) => `string(${property}) == ${literal(value)}`)),
  is_not: (property, values) =>
    `not ${anyOf(values.map((value) => `string(${property}) == ${literal(value)}`))}`,
  contains: (property, values) => anyOf(values.map((value) => `${literal(value)} in string(${property})`)),
  set: (property) => `defined(${property})`,
  not_set: (property) => `not defined(${property})`,
  over: (property, values) => anyOf(values.map((value) => `number(${property}) > ${numeral(value)}`)),
  under: (property, values) => anyOf(values.map((value) => `number(${property}) < ${numeral(value)}`)),
}

/** The conditions of a chart as an expression; undefined without any. */
export function whereOf(filters: readonly ChartFilter[], call: ChartCall): string | undefined {
  const conditions = filters.map(({ property, operator, values }) => {
    return `(${OPERATORS[operator](propertyOf(property, call), values)})`
  })
  return conditions.length === 0 ? undefined : conditions.join(' and ')
}

/** The expression of a property by its final name. Throws Unanswerable where Mixpanel has no one property for it. */
export function propertyOf(final: string, call: ChartCall): string {
  const name = namesIn(call).property(final)
  if (name === undefined) throw new Unanswerable(`Mixpanel has no single property that became "${final}"`)
  return `properties[${literal(name)}]`
}

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.join(' or ')})`
}

function literal(text: string): string {
  return JSON.stringify(text)
}

function numeral(text: string): string {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new Unanswerable(`"${text}" is not a number`)
  return String(value)
}
