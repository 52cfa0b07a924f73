import type { ChartEvents, ChartFilter, ChartQuery, FilterOperator } from '../../charts/index.ts'

const OPERATORS: Readonly<Record<FilterOperator, string>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  set: 'is set',
  not_set: 'is not set',
  over: 'over',
  under: 'under',
}

/** The name of a chart that nobody has named: `unique by week: $pageview`. */
export function chartName(query: ChartQuery): string {
  switch (query.kind) {
    case 'people':
      return 'people'
    case 'funnel':
      return `funnel of ${query.windowDays} days: ${query.steps.map(eventsName).join(', ')}`
    case 'retention':
      return `retention by ${query.period}: ${eventsName(query.start)}, ${eventsName(query.back)}`
    case 'series': {
      const measure = query.property === null ? query.measure : `${query.measure} of ${query.property}`
      const by = query.by === null ? '' : `, by ${query.by}`
      return `${measure}${query.interval === 'whole' ? '' : ` by ${query.interval}`}: ${eventsName(query)}${by}`
    }
  }
}

function eventsName({ event, where }: ChartEvents): string {
  const name = event ?? 'all events'
  return where.length === 0 ? name : `${name} where ${where.map(filterName).join(' and ')}`
}

function filterName({ property, operator, values }: ChartFilter): string {
  return [property, OPERATORS[operator], values.join(' or ')].filter((word) => word !== '').join(' ')
}
