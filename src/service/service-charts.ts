import type { Chart, ChartCell, ChartEvents, ChartSide, ChartSpan } from '../charts/index.ts'
import type { Api } from './api.ts'
import { badNumber } from './chart-conditions.ts'
import { insightFunnel, insightRetention, insightSeries, nonZero } from './chart-insights.ts'
import { queriedPeople, queriedSeries, queriedWeeks } from './chart-queries.ts'
import type { InsightCall } from './insight-query.ts'
import { type ProjectCalendar, projectCalendar } from './project-calendar.ts'

const BY_QUERY = {
  weeks:
    "the project's weeks begin on Sunday and these on Monday: PostHog was asked by a query, and its own charts by week show other numbers",
  values: 'the property has so many values that PostHog was asked by a query instead of a chart',
  people: 'PostHog has no chart of this: it was asked by a query for the persons that have events',
}

interface Asked {
  readonly cells: readonly ChartCell[]
  readonly notes: readonly string[]
}

/**
 * PostHog's answers to charts: a TrendsQuery, FunnelsQuery or RetentionQuery, so that a number is the one that a chart in PostHog
 * shows; a query where none fits, which a note says. Days are those of the project's time zone; people are persons after all
 * merges. Closes the API when it is closed.
 */
export function serviceCharts(api: Api, projectId: string): ChartSide {
  let calendar: Promise<ProjectCalendar> | undefined
  return {
    name: 'PostHog',
    async ask(chart, span) {
      const bad = eventsIn(chart)
        .map(badNumber)
        .find((value) => value !== undefined)
      if (bad !== undefined) return { unanswered: `"${bad}" is not a number, and can't be over or under one` }
      calendar ??= projectCalendar(api, projectId)
      const { zone, weeksBeginOnMonday } = await calendar
      const call: InsightCall = { api, projectId, what: `the chart "${chart.name}"` }
      const { cells, notes } = await answer(call, chart, span, { zone, weeksBeginOnMonday })
      return { cells: nonZero(cells), zone, estimated: false, notes: [...notes] }
    },
    close: () => api.close(),
  }
}

async function answer(
  call: InsightCall,
  { query }: Chart,
  span: ChartSpan,
  calendar: ProjectCalendar,
): Promise<Asked> {
  const { zone, weeksBeginOnMonday } = calendar
  switch (query.kind) {
    case 'people':
      return { cells: await queriedPeople(call), notes: [BY_QUERY.people] }
    case 'funnel':
      return { cells: await insightFunnel(call, query, span), notes: [] }
    case 'retention':
      if (query.period === 'week' && !weeksBeginOnMonday)
        return { cells: await queriedWeeks(call, query, span, zone), notes: [BY_QUERY.weeks] }
      return { cells: await insightRetention(call, query, { span, calendar }), notes: [] }
    case 'series': {
      const byQuery = () => queriedSeries(call, query, span, zone)
      if (query.interval === 'week' && !weeksBeginOnMonday)
        return { cells: await byQuery(), notes: [BY_QUERY.weeks] }
      const cells = await insightSeries(call, query, span)
      return cells ? { cells, notes: [] } : { cells: await byQuery(), notes: [BY_QUERY.values] }
    }
  }
}

function eventsIn({ query }: Chart): readonly ChartEvents[] {
  if (query.kind === 'series') return [query]
  if (query.kind === 'funnel') return query.steps
  return query.kind === 'retention' ? [query.start, query.back] : []
}
