import type { Chart, ChartAnswer, ChartCall, ChartSide, ChartSpan, NoAnswer } from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { EventCounts } from './event-counts.ts'
import { askFunnel } from './funnels.ts'
import { engagePath, profileTotal } from './profiles.ts'
import { answerInDays, type QueryApi } from './query-api.ts'
import { askRetention } from './retention.ts'
import { savedReport, savedReports } from './saved-reports.ts'
import { askSeries } from './series.ts'

/** Mixpanel as one who answers charts, by its query API (docs.mixpanel.com/reference/query-api). */
export function mixpanelSide(api: QueryApi): ChartSide {
  const counts = new EventCounts(api)
  return {
    name: 'Mixpanel',
    announce: (charts) => counts.announce(charts),
    async ask(chart, span, call) {
      try {
        return await answer({ api, counts }, chart, span, call)
      } catch (error) {
        if (error instanceof Unanswerable) return { unanswered: error.message } satisfies NoAnswer
        throw error
      }
    },
    reports: (call) => savedReports(api, call),
    report: (id, call) => savedReport(api, id, call),
    close: () => api.close(),
  }
}

function answer(
  source: { readonly api: QueryApi; readonly counts: EventCounts },
  { query, report }: Chart,
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartAnswer> {
  switch (query.kind) {
    case 'series':
      return askSeries(source, query, span, call)
    case 'retention':
      return askRetention(source.api, query, span, call)
    case 'people':
      return askPeople(source.api, call)
    case 'funnel':
      return askFunnel(source.api, { query, report }, span, call)
  }
}

/** How many profiles there are, which the first page of them tells. */
async function askPeople(api: QueryApi, call: ChartCall): Promise<ChartAnswer> {
  const total = await api.inTurn(call, (retry) =>
    profileTotal(api.client, engagePath(api.projectId), { signal: call.signal, retry }),
  )
  const note = 'Mixpanel counts profiles: people without one are not among them, profiles without events are'
  return answerInDays([{ at: 'whole', by: null, value: total }], false, [note])
}
