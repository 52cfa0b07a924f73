import type { RetentionChart } from '../charts/index.ts'
import type { ChartView } from './chart-view.ts'
import type { SqlParts } from './funnel-sql.ts'
import { PERIODS, wholePeriods, ZoneDays } from './zone-days.ts'

/**
 * SQL of rows (first day of the start's period, `+`, periods after it; people). A person starts once, in the period of the
 * first start in the span. Undefined where the span has no whole period.
 */
export function retentionSql(
  { start, back, period, periods }: RetentionChart,
  view: ChartView,
  { columns, span }: SqlParts,
): string | undefined {
  const whole = wholePeriods(span, period)
  if (whole === undefined) return undefined
  const days = new ZoneDays(whole, view.zone)
  const { number, first } = PERIODS[period]
  return `
    WITH found AS (
      SELECT person, ${number('day')} AS period, ${first('day')} AS first_day, is_start, is_back FROM (
        SELECT person, ${days.dayOf('instant')} AS day, ${columns.condition(start, view)} AS is_start,
          ${columns.condition(back, view)} AS is_back
        FROM (${view.rows}) WHERE ${days.within('instant')} AND person IS NOT NULL
      ) WHERE is_start OR is_back
    ), started AS (
      SELECT person, min(period) AS period, min(first_day) AS first_day FROM found WHERE is_start GROUP BY person
    )
    SELECT first_day || '+0', count(*) FROM started GROUP BY first_day
    UNION ALL
    SELECT s.first_day || '+' || (f.period - s.period)::BIGINT, count(DISTINCT f.person)
    FROM found f JOIN started s ON s.person = f.person
    WHERE f.is_back AND f.period > s.period AND f.period < s.period + ${periods}
    GROUP BY s.first_day, f.period - s.period`
}
