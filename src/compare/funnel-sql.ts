import type { ChartSpan, FunnelChart } from '../charts/index.ts'
import { MICROS_PER_DAY } from '../text/index.ts'
import type { ChartView, PropertyColumns } from './chart-view.ts'
import { ZoneDays } from './zone-days.ts'

/** What the SQL of a chart is made with. */
export interface SqlParts {
  readonly columns: PropertyColumns
  readonly span: ChartSpan
}

/**
 * SQL of rows (step, people who came at least that far).
 *
 * Each event of a step takes the newest try that came to the step before it, and is of that try if the window is open.
 * That finds a way through for everybody who has one, since of two tries the newer ends later. An event serves one step
 * only; of several at one instant those of earlier steps come first.
 */
export function funnelSql(
  { steps, windowDays }: FunnelChart,
  view: ChartView,
  { columns, span }: SqlParts,
): string {
  const days = new ZoneDays(span, view.zone)
  const conditions = steps.map((step) => columns.condition(step, view))
  const window = Math.round(windowDays * MICROS_PER_DAY)
  const { tries, ends } = view.rule
  const last = ends === 'extend' ? days.end + window : days.end
  const isFirst = `is_1 AND instant < ${days.end}`
  const lowest = conditions.map((_, at) => `WHEN is_${at + 1} THEN ${at + 1}`).join(' ')
  const flags = conditions.map((_, at) => `is_${at + 1}`).join(', ')
  const rank = `row_number() OVER (PARTITION BY person ORDER BY instant, lowest, ${flags})`
  const levels = conditions.map((_, at) => {
    if (at > 0) return tried(at + 1, window)
    const isTry =
      tries === 'newest'
        ? isFirst
        : `${isFirst} AND place = min(CASE WHEN ${isFirst} THEN place END) OVER (PARTITION BY person)`
    return `step_1 AS (SELECT *, CASE WHEN ${isTry} THEN instant END AS try_1 FROM placed)`
  })
  const counts = conditions.map(
    (_, at) => `SELECT ${at + 1}, count(DISTINCT person) FROM step_${at + 1} WHERE try_${at + 1} IS NOT NULL`,
  )
  return `
    WITH found AS (
      SELECT person, instant, ${conditions.map((one, at) => `(${one}) AS is_${at + 1}`).join(', ')}
      FROM (${view.rows}) WHERE instant >= ${days.start} AND instant < ${last} AND person IS NOT NULL
    ), ranked AS (
      SELECT *, CASE ${lowest} END AS lowest FROM found WHERE ${conditions.map((_, at) => `is_${at + 1}`).join(' OR ')}
    ), placed AS (
      SELECT *, ${rank} AS place FROM ranked
    ), ${levels.join(', ')}
    ${counts.join(' UNION ALL ')}`
}

/** Adds the try that an event takes to this step: told by the instant of its first step. */
function tried(step: number, window: number): string {
  const before = `max(try_${step - 1}) OVER (PARTITION BY person ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`
  return `step_${step} AS (
      SELECT *, CASE WHEN is_${step} AND instant - newest_${step} <= ${window} THEN newest_${step} END AS try_${step}
      FROM (SELECT *, ${before} AS newest_${step} FROM step_${step - 1})
    )`
}
