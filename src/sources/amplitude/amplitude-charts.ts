import type {
  ChartCall,
  ChartCell,
  ChartQuery,
  ChartSide,
  ChartSpan,
  SeriesChart,
  VendorNames,
} from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import type { VendorClient } from '../vendor-client.ts'
import type { ChartTools } from '../vendor-source.ts'
import type { Dashboard } from './asked-dashboard.ts'
import { seriesCells } from './event-series.ts'
import { savedChart } from './saved-chart.ts'
import { funnelCells } from './user-funnel.ts'
import { retentionCells } from './user-retention.ts'

const NOTES = {
  people: 'people are those of Amplitude, after it has merged what it knows to be one user',
  any: 'events of all names are those of `[Amplitude] Any Event`, hidden ones too',
  sum: 'how Amplitude takes texts that look like numbers is not documented',
  average: "averages are Amplitude's: the sum divided by its number of events",
  funnel:
    'the first step lies in the span, later ones may come after its end; the longest of the earliest tries counts',
  retention:
    "days begin with each user's own start, rounded down to the hour, weeks have 7 and months 30 days, and a user is in the row of every period with a start",
} as const

/** Amplitude's Dashboard REST API as one who answers charts. docs/compare.md says what its numbers mean. */
export function amplitudeCharts(client: VendorClient, retry: ChartTools['retry']): ChartSide {
  return {
    name: client.vendor,
    async ask({ query }, span, call) {
      try {
        const cells = await cellsOf({ client, retry, call, names: namesIn(call) }, query, span)
        return { cells, zone: null, estimated: false, notes: notesOf(query) }
      } catch (error) {
        if (error instanceof Unanswerable) return { unanswered: error.message }
        throw error
      }
    },
    report: async (id, call) => savedChart({ client, retry, call, names: namesIn(call) }, id),
    close: () => client.close(),
  }
}

function namesIn({ names }: ChartCall): VendorNames {
  if (names === undefined) throw new RangeError('Amplitude is asked by its own names')
  return names
}

function cellsOf(dashboard: Dashboard, query: ChartQuery, span: ChartSpan): Promise<ChartCell[]> {
  if (query.kind === 'series') return seriesCells(dashboard, query, span)
  if (query.kind === 'funnel') return funnelCells(dashboard, query, span)
  if (query.kind === 'retention') return retentionCells(dashboard, query, span)
  return seriesCells(dashboard, EVERYBODY, span)
}

/** Who did anything at all. */
const EVERYBODY: SeriesChart = {
  kind: 'series',
  measure: 'unique',
  interval: 'whole',
  ...{ property: null, by: null, event: null, where: [] },
}

function notesOf(query: ChartQuery): string[] {
  if (query.kind === 'funnel') return [NOTES.people, NOTES.funnel]
  if (query.kind === 'retention') return [NOTES.people, NOTES.retention]
  const { measure, event } = query.kind === 'people' ? EVERYBODY : query
  return [
    ...(measure === 'unique' ? [NOTES.people] : []),
    ...(measure === 'sum' ? [NOTES.sum] : []),
    ...(measure === 'average' ? [NOTES.average, NOTES.sum] : []),
    ...(event === null ? [NOTES.any] : []),
  ]
}
