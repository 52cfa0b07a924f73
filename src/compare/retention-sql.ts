import type { RetentionChart } from '../charts/index.ts'
import { dayText } from '../record/index.ts'
import { MICROS_PER_HOUR, MS_PER_DAY } from '../text/index.ts'
import type { ChartView } from './chart-view.ts'
import type { SqlParts } from './funnel-sql.ts'
import { PERIODS, wholePeriods, ZoneDays } from './zone-days.ts'

/**
 * SQL of rows (first day of the start's period, `+`, periods after it; people). A person starts once, in the period of the
 * first start in the span. Undefined where the span has no whole period.
 */
export function retentionSql(
  chart: RetentionChart,
  view: ChartView,
  { columns, span }: SqlParts,
): string | undefined {
  const { start, back, period, periods } = chart
  const whole = wholePeriods(span, period)
  if (whole === undefined) return undefined
  if (view.rule.returns === 'rolling') return rollingSql(chart, view, { columns, span: whole })
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

/** What a rolling period is counted in, and how many of these it has. */
const ROLLING = {
  day: { place: `instant // ${MICROS_PER_HOUR}`, length: 24 },
  week: { place: 'day', length: 7 },
  month: { place: 'day', length: 30 },
} as const

/** The same by periods that are counted from each start of a person. The last of them may end after the span. */
function rollingSql(
  { start, back, period, periods }: RetentionChart,
  view: ChartView,
  { columns, span }: SqlParts,
): string {
  const lastDay = Date.parse(span.last) / MS_PER_DAY
  const own = new ZoneDays(span, view.zone)
  const days = new ZoneDays({ first: span.first, last: dayText(lastDay + 31) }, view.zone)
  const { number, first } = PERIODS[period]
  const { place, length } = ROLLING[period]
  return `
    WITH found AS (
      SELECT person, instant, ${days.dayOf('instant')} AS day,
        ${columns.condition(start, view)} AND instant < ${own.end} AS is_start, ${columns.condition(back, view)} AS is_back
      FROM (${view.rows}) WHERE ${days.within('instant')} AND person IS NOT NULL
    ), started AS (
      SELECT DISTINCT person, ${number('day')} AS period, ${first('day')} AS first_day, ${place} AS place
      FROM found WHERE is_start
    ), returned AS (
      SELECT DISTINCT person, ${place} AS place FROM found WHERE is_back
    ), after AS (
      SELECT s.person, s.period, s.first_day, ((r.place - s.place) // ${length})::BIGINT AS n
      FROM started s JOIN returned r ON r.person = s.person AND r.place >= s.place + ${length}
    )
    SELECT first_day || '+0', count(DISTINCT person) FROM started GROUP BY first_day
    UNION ALL
    SELECT first_day || '+' || n, count(DISTINCT person) FROM after
    WHERE n < ${periods} AND period + n <= ${number(`(${lastDay})`)} GROUP BY first_day, n`
}
