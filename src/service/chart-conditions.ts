import type { ChartEvents, ChartFilter } from '../charts/index.ts'
import { sqlText } from './query.ts'

/*
 * A chart's filters, as PostHog's charts and its query language take them. Both mean the same: values are compared as texts,
 * `contains` in any case, and an event that lacks the property is not what is asked for. PostHog knows the type of a
 * property, and writes numbers anew: 5.0 is 5 to it (posthog/hogql/property.py, property swapper).
 */

/** A property of the event in the query language. */
export function propertyField(name: string): string {
  return `properties[${sqlText(name)}]`
}

/** The events of a chart as a condition of the query language. */
export function eventsCondition({ event, where }: ChartEvents): string {
  const conditions = [...(event === null ? [] : [`event = ${sqlText(event)}`]), ...where.map(filterCondition)]
  return conditions.length === 0 ? 'true' : conditions.join(' AND ')
}

/** The first value of a filter that isn't a number where one is needed; undefined if all are well. */
export function badNumber({ where }: ChartEvents): string | undefined {
  return where
    .filter(({ operator }) => operator === 'over' || operator === 'under')
    .flatMap(({ values }) => values)
    .find((value) => value.trim() === '' || !Number.isFinite(Number(value)))
}

/** The filters as a chart of PostHog has them. Those that it has no operator for are expressions. */
export function propertyFilters({ where }: ChartEvents): object[] {
  return where.map((filter) => {
    const native = nativeFilter(filter)
    return native
      ? { key: filter.property, type: 'event', ...native }
      : { type: 'hogql', key: filterCondition(filter) }
  })
}

function nativeFilter({ operator, values }: ChartFilter): object | undefined {
  switch (operator) {
    case 'is':
      return { operator: 'exact', value: values }
    case 'is_not':
      return { operator: 'is_not', value: values }
    case 'set':
      return { operator: 'is_set', value: 'is_set' }
    case 'not_set':
      return { operator: 'is_not_set', value: 'is_not_set' }
    case 'contains':
      // One value is a pattern, in which these stand for others. Several are compared without case in ASCII only.
      return values.length === 1 && !/[%_\\]/.test(values[0]!)
        ? { operator: 'icontains', value: values[0] }
        : undefined
    default:
      // gt and lt compare texts, unless the project knows the property as a number.
      return undefined
  }
}

function filterCondition({ property, operator, values }: ChartFilter): string {
  const field = propertyField(property)
  const text = `toString(${field})`
  const any = (test: (value: string) => string) => `ifNull(${values.map(test).join(' OR ')}, false)`
  switch (operator) {
    case 'set':
      return `isNotNull(${field})`
    case 'not_set':
      return `isNull(${field})`
    case 'is':
      return any((value) => `${text} = ${sqlText(value)}`)
    case 'is_not':
      return `NOT ${any((value) => `${text} = ${sqlText(value)}`)}`
    case 'contains':
      return any((value) => `positionCaseInsensitiveUTF8(${text}, ${sqlText(value)}) > 0`)
    case 'over':
      return any((value) => `toFloat(${field}) > ${Number(value)}`)
    case 'under':
      return any((value) => `toFloat(${field}) < ${Number(value)}`)
  }
}
