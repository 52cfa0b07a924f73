import type { EventStore } from '../../store/store.ts'
import { withDeadline } from '../run.ts'
import type { InsightQuery } from './form.ts'
import { answerFunnel } from './funnels.ts'
import type { Calendar } from './project-days.ts'
import { answerRetention } from './retention.ts'
import { answerTrends } from './trends.ts'

/**
 * Answers a TrendsQuery, FunnelsQuery or RetentionQuery. Merges of persons apply to all events, and duplicates that the
 * service has not merged yet count. QueryError for what can't be answered, QueryTimeout when it takes too long.
 */
export function answerInsight(
  store: EventStore,
  query: InsightQuery,
  calendar: Calendar,
  timeoutMs: number,
): Promise<object> {
  return store.read(
    (connection) =>
      withDeadline(connection, timeoutMs, (): Promise<object> => {
        if (query.kind === 'TrendsQuery') return answerTrends(connection, query, calendar)
        if (query.kind === 'FunnelsQuery') return answerFunnel(connection, query)
        return answerRetention(connection, query, calendar)
      }),
    { needs: ['persons'] },
  )
}
