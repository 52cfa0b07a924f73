import { fieldPath, stringLiteral } from '../names.ts'
import { parseQuery, QueryError } from '../parse.ts'
import { printExpr } from '../print.ts'
import type { DateRange, EventProperty, EventsNode } from './form.ts'

/** When an event happened, by the clocks of the project's time zone: the reader's connection is set to it. */
export const LOCAL = 'CAST(timestamp AS TIMESTAMP)'

/** The text of a property; null where an event has none. */
export function propertyText(key: string): string {
  return fieldPath(['properties', key])
}

/** A property as a number; null for what is no number. */
export function propertyNumber(key: string): string {
  return `TRY_CAST(${propertyText(key)} AS DOUBLE)`
}

/** The events that a series, a step or an entity of a retention is about. */
export async function eventsOf({
  event,
  properties,
}: Pick<EventsNode, 'event' | 'properties'>): Promise<string> {
  const name = typeof event === 'string' ? [`event = ${stringLiteral(event)}`] : []
  return all([...name, ...(await Promise.all(properties.map(condition)))])
}

/** Conditions that must all hold. */
export function all(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'true' : conditions.map((one) => `(${one})`).join(' AND ')
}

/** The events from the start of a day on. */
export function since(day: string): string {
  return `${LOCAL} >= TIMESTAMP '${day}'`
}

/** The days of a range to their last microsecond. Trends end with the last whole second: see there. */
export function within({ date_from, date_to }: DateRange): string {
  return all([since(date_from), `${LOCAL} < TIMESTAMP '${date_to}' + INTERVAL 1 DAY`])
}

/** Null never is an answer: what an event lacks is not contained, not over, and is not what is asked for. */
async function condition(property: EventProperty): Promise<string> {
  if (property.type === 'hogql') return hogqlCondition(property.key)
  const text = propertyText(property.key)
  const values = [property.value ?? []].flat().map(String)
  switch (property.operator) {
    case 'is_set':
      return `${text} IS NOT NULL`
    case 'is_not_set':
      return `${text} IS NULL`
    case 'exact':
      return equals(property.key, values)
    case 'is_not':
      return `NOT ${equals(property.key, values)}`
    case 'icontains':
      return contains(text, values)
    default: {
      const sign = property.operator === 'gt' ? '>' : '<'
      return `coalesce(${propertyNumber(property.key)} ${sign} ${numberOf(values[0])}, false)`
    }
  }
}

/** One of the values. Numbers agree however they are written, as in a property that the service knows as numeric. */
function equals(key: string, values: readonly string[]): string {
  if (values.length === 0) return 'false'
  const pointer = stringLiteral(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  const numbers = values.filter((value) => value.trim() !== '' && Number.isFinite(Number(value)))
  const isNumber = `json_type(properties, ${pointer}) IN ('UBIGINT', 'BIGINT', 'DOUBLE')`
  const asText = `${propertyText(key)} IN (${values.map(stringLiteral).join(', ')})`
  const asNumber =
    numbers.length === 0
      ? []
      : [`(${isNumber} AND ${propertyNumber(key)} IN (${numbers.map(numberOf).join(', ')}))`]
  return `coalesce(${[asText, ...asNumber].join(' OR ')}, false)`
}

/** In any case. A single value is a pattern to the service, in which % and _ stand for others; one of several is not. */
function contains(text: string, values: readonly string[]): string {
  const [single] = values
  if (values.length === 1) return `coalesce(${text} ILIKE ${stringLiteral(`%${single}%`)}, false)`
  const found = values.map((value) => `contains(lower(${text}), lower(${stringLiteral(value)}))`)
  return `coalesce(${found.join(' OR ') || 'false'}, false)`
}

function numberOf(value: string | undefined): string {
  return `TRY_CAST(${stringLiteral(value ?? '')} AS DOUBLE)`
}

/** An expression of the query language. */
async function hogqlCondition(expression: string): Promise<string> {
  const query = await parseQuery(`SELECT (${expression})`)
  const [holds] = query.node === 'SelectQuery' && !query.select_from ? query.select : []
  if (!holds) throw new QueryError(`not an expression: ${expression}`)
  return `coalesce(${printExpr(holds)}, false)`
}
