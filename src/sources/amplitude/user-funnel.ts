import { z } from 'zod'
import { type ChartCell, type ChartSpan, type FunnelChart, spanDays } from '../../charts/index.ts'
import { SECONDS_PER_DAY } from '../../text/index.ts'
import { askReport } from '../answer-bytes.ts'
import { amplitudeEvent } from './amplitude-events.ts'
import { askingFor, type Dashboard, otherShape } from './asked-dashboard.ts'

const funnelSchema = z.object({
  data: z.array(z.object({ cumulativeRaw: z.array(z.int().min(0)) })),
})

/**
 * Asks `GET /api/2/funnels` in the mode `ordered`: `{data: [{cumulativeRaw: [<users of each step>], …}]}`. The window is
 * given in seconds; an event costs two units a day.
 */
export async function funnelCells(
  dashboard: Dashboard,
  { steps, windowDays }: FunnelChart,
  span: ChartSpan,
): Promise<ChartCell[]> {
  const events = steps.map((step) => amplitudeEvent(step, dashboard.names))
  const query = new URLSearchParams({
    start: span.first.replaceAll('-', ''),
    end: span.last.replaceAll('-', ''),
    mode: 'ordered',
    cs: String(Math.round(windowDays * SECONDS_PER_DAY)),
  })
  for (const event of events) query.append('e', JSON.stringify(event))
  const asking = askingFor(dashboard, spanDays(span) * 2 * steps.length)
  const { data } = await askReport(dashboard.client, `/api/2/funnels?${query}`, funnelSchema, asking)
  const reached = data[0]?.cumulativeRaw ?? steps.map(() => 0)
  if (reached.length !== steps.length) throw otherShape('has not a number for each step of the funnel')
  return reached
    .map((value, step) => ({ at: String(step + 1), by: null, value }))
    .filter(({ value }) => value !== 0)
}
